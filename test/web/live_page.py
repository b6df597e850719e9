#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests the live page in headless Chromium. SOFTFEB_SCREENSHOTS=DIR keeps pictures of the page."""

import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import live
import srp_client
from live import harness, wait_for

if not (shutil.which("chromium") and shutil.which("chromedriver")):
    print("skipped: chromium and chromedriver are not installed; apt-get install chromium chromium-driver")
    sys.exit(harness.SKIPPED)

from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select  # noqa: E402

FEBCTL = os.environ.get("FEBCTL", str(harness.ROOT / "build/app/febctl/febctl"))
SCREENSHOTS = os.environ.get("SOFTFEB_SCREENSHOTS")
SAMPLES = "return softfeb.store.samples.length"
# Errors that the browser reports when a test stops the server.
AWAY = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE")


def start_browser():
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1400,1500",
                     "--force-device-scale-factor=1", "--disable-background-networking", "--no-first-run"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
    driver.set_page_load_timeout(live.WAIT)
    driver.set_script_timeout(live.WAIT)
    return driver


class Page(live.Served):
    @classmethod
    def setUpClass(cls):
        cls.driver = start_browser()
        cls.addClassCleanup(cls.driver.quit)

    def load(self):
        """Opens the page with an empty log. First closes the page of the previous test, which would log errors about its stopped server."""
        self.driver.get("about:blank")
        self.emulate()
        self.driver.get_log("browser")
        self.driver.get(f"http://127.0.0.1:{self.port}/")

    def open(self):
        self.load()
        self.wait_state("running")

    def emulate(self, scheme="light", width=1400, height=1500):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})

    def js(self, script, *args):
        return self.driver.execute_script(script, *args)

    def element(self, name):
        return self.driver.find_element(By.ID, name)

    def wait_state(self, state):
        wait_for(f"state {state}", lambda: self.js("return softfeb.store.state") == state)

    def wait_samples(self, more=5):
        at = self.js(SAMPLES)
        wait_for("more samples", lambda: self.js(SAMPLES) >= min(at + more, 900))

    def screenshot(self, name):
        if SCREENSHOTS:
            self.driver.save_screenshot(str(Path(SCREENSHOTS, name + ".png")))

    def assert_clean_console(self, away=False):
        log = [e for e in self.driver.get_log("browser") if e["level"] in ("SEVERE", "WARNING")]
        self.assertEqual([e for e in log if not (away and any(a in e["message"] for a in AWAY))], [])

    def drawn(self, canvas="rates"):
        """Returns how many pixels of a canvas are not empty, and how many points the line with the fewest points has."""
        return self.js("""const c = document.getElementById(arguments[0]);
            const copy = Object.assign(document.createElement('canvas'), {width: c.width, height: c.height});
            const pen = copy.getContext('2d', {willReadFrequently: true});
            pen.drawImage(c, 0, 0);
            const d = pen.getImageData(0, 0, c.width, c.height).data;
            let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 40;
            const points = Chart.getChart(c).data.datasets.map(s => s.data.filter(p => !Number.isNaN(p.y)).length);
            return [n, Math.min(...points)];""", canvas)

    def assert_fits(self):
        """Checks that the page does not scroll horizontally."""
        self.assertEqual(self.js("return [document.documentElement.scrollWidth <= innerWidth, innerWidth]")[0], True,
                         self.js("""return [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right
                             > innerWidth + 1 && !e.closest('.scroll')).map(e => e.tagName + '#' + e.id + '.' + e.className)"""))

    def luminance(self, selector, name):
        rgb = self.js("return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]].match(/\\d+/g).map(Number)",
                      selector, name)
        return sum(w * v for w, v in zip((0.2126, 0.7152, 0.0722), rgb)) / 255

    def test_charts_are_drawn_with_live_data(self):
        self.serve(live.congested(3))
        self.open()
        self.wait_samples(30)
        pixels, points = self.drawn()
        self.assertGreater(pixels, 3000)
        self.wait_samples(20)
        self.assertGreater(self.drawn()[1], points)
        self.assertGreater(self.js("return Chart.getChart('rates').$rug.reduce((n, r) => n + r.marks.length, 0)"), 0)
        wait_for("counters", lambda: self.driver.find_elements(By.CSS_SELECTOR, "#panel-boards tbody tr"))
        self.assertEqual(len(self.driver.find_elements(By.CSS_SELECTOR, "#panel-boards tbody tr")), 3)
        self.assertTrue(self.driver.find_elements(By.CSS_SELECTOR, "#tiles dd"))
        # DCQCN has neither an RTT nor a window, so these cards are hidden
        for card in ("rtt-card", "cwnd-card"):
            self.assertFalse(self.element(card).is_displayed())
        self.assertNotIn("RTT", self.element("tiles").text)
        self.screenshot("light")
        self.assert_fits()
        self.assert_clean_console()

    def test_a_parameter_reaches_the_register(self):
        config = live.congested()
        self.serve(config)
        self.open()
        field = wait_for("the form", lambda: self.driver.find_elements(By.ID, "p-rai"))[0]
        self.assertFalse(self.element("p-apply").is_enabled())
        field.clear()
        field.send_keys("80Mb/s", Keys.ENTER)
        wait_for("an answer", lambda: "Applied to feb0" in self.element("p-result").text)
        self.screenshot("applied")
        port = config["boards"][0]["control"]["registers_port"]
        read = subprocess.run([FEBCTL, "--ip", "127.0.0.1", "--port", str(port), "--timeout", "5", "read", "*.Rai"], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=live.WAIT)
        self.assertEqual(read.returncode, 0, read.stderr)
        self.assertIn("10000000", read.stdout)

        # Select a board without registers, and enter an invalid value.
        Select(self.element("p-board")).select_by_visible_text("feb1")
        wait_for("the other board's", lambda: "registers" not in self.element("p-where").text)
        field = self.element("p-dec_gain")
        field.clear()
        field.send_keys("99", Keys.ENTER)
        wait_for("a refusal", lambda: "fix" in self.element("p-result").get_attribute("class") + "fix" and
                 "bad" in self.element("p-result").get_attribute("class"))
        self.element("p-reset").click()
        self.element("p-clamp_tgt_rate").click()
        self.element("p-apply").click()
        wait_for("an answer", lambda: "Applied to feb1" in self.element("p-result").text)
        self.assertIs(self.get("/api/dcqcn/feb1")["units"][0]["parameters"]["clamp_tgt_rate"], True)
        log = [e["message"] for e in self.driver.get_log("browser") if e["level"] == "SEVERE"]
        self.assertEqual([m for m in log if "400" not in m], [])

    def test_parameters_that_qps_do_not_share_are_marked(self):
        config = live.congested()
        config["boards"][0]["qps"][0]["count"] = 2
        config["boards"][0]["control"]["qps"] = 4
        self.serve(config)
        self.open()
        marked = lambda: [f.get_attribute("data-key") for f in self.driver.find_elements(By.CSS_SELECTOR, "#p-fields .mixed")]
        wait_for("the form", lambda: self.driver.find_elements(By.ID, "p-rai"))
        self.assertEqual(marked(), [])
        self.assertIn("4 QPs of the metadata bus", self.element("p-where").text)
        self.change(board="feb0", qps=1, set={"rai": "1Mb/s"})
        wait_for("the mark", lambda: marked() == ["rai"])
        self.assertIn("those of QP 0 are shown", self.element("p-where").text)
        self.screenshot("mixed")
        Select(self.element("p-qp")).select_by_visible_text("1")
        self.assertEqual(self.element("p-rai").get_attribute("value"), "1Mb/s")
        self.assertEqual(marked(), [])
        self.assert_clean_console()

    def test_why_connections_closed_is_shown(self):
        config = live.congested()
        port = config["boards"][0]["control"]["registers_port"]
        self.serve(config)
        self.open()
        wait_for("the card", lambda: self.element("links-card").is_displayed())
        self.assertEqual(self.element("links-open").text, "No client is connected.")
        with srp_client.Srp(port=port) as srp:
            peer = "{}:{}".format(*srp.link.socket.getsockname())
        row = wait_for("its end", lambda: self.element("links-closed").text)
        for words in ("feb0", "registers", peer, "peer sent RST", "RST, 0.000 s before"):
            self.assertIn(words, row)
        self.assertEqual(self.element("links-reasons").text, "Closed so far: 1 peer reset")
        self.screenshot("links")
        self.assert_fits()
        self.assert_clean_console()

    def test_the_result_is_shown(self):
        self.serve_lab(harness.CONF / "lab/incast.yaml", "--duration", "2s", "--hold")
        self.load()
        wait_for("the result", lambda: self.element("result-card").is_displayed())
        self.wait_state("ended")
        self.assertIn(self.element("verdict").text, ("held", "inconclusive", "failed"))
        self.assertRegex(self.element("result").text, r"real time +virtual +limit")
        # the tile has the same name as the value in the result
        self.assertRegex(self.element("tiles").text, r"Queue, peak in 1 s\s+[0-9.]+ (B|KiB|MiB)\s")
        self.assertRegex(self.element("port-note").text, r"buffer 4 MiB")
        heights = self.js("return [...document.querySelectorAll('tbody td, tbody th')].map(e => e.getBoundingClientRect().height)")
        # whole pixels, because sticky cells must align with their rows
        self.assertTrue(heights and all(h == round(h) for h in heights), heights)
        self.assert_fits()
        self.screenshot("result")
        self.emulate(width=390, height=900)
        self.assert_fits()
        self.driver.refresh()  # a client that connects after the end of the run must also get the result
        wait_for("the result", lambda: self.element("result-card").is_displayed())
        log = [e["message"] for e in self.driver.get_log("browser") if e["level"] == "SEVERE"]
        self.assertEqual([m for m in log if "409" not in m], [])

    def test_events_of_a_detector(self):
        self.serve(live.congested())
        self.open()
        self.wait_samples()
        for absent in ("events", "generators", "streams", "Stream"):
            self.assertNotIn(absent, self.element("tiles").text)
        self.assertEqual([t.text for t in self.driver.find_elements(By.CSS_SELECTOR, "#tabs button")], ["Boards", "Receivers"])
        # Replace the samples of this run, which has no event data, with samples of a run with event data.
        self.js("""const { store } = softfeb;
                   const last = { ...store.samples.at(-1), events: { rate: 10000, complete: 5, incomplete: 2, lost: 1, busy: 0.25 } };
                   store.samples = [{ ...last, t: 1000 }, { ...last, t: 1000.1 }];
                   store.dispatchEvent(new Event("sample"));""")
        wait_for("tiles of events", lambda: "Complete events" in self.element("tiles").text)
        for tile in (r"Complete events\s+10,000\s*/s", r"Incomplete events\s+2", r"Lost by boards\s+1\s*events",
                     r"Busiest board\s+25.0\s*% busy"):
            self.assertRegex(self.element("tiles").text, tile)
        self.screenshot("events")
        self.assert_fits()

    def test_traffic_generators_and_streams(self):
        changes = ("eal.hugepages=no", "run.duration=600s", "boards.feb.control.listen=none", "boards.feb.control.in_band=true")
        self.serve(harness.CONF / "nanet.yaml", *(a for c in changes for a in ("--set", c)))
        self.open()
        self.wait_samples(15)
        for tile in (r"Traffic generators\s+[0-9.]+\s*Gb/s", r"Bursts running\s+4\s*of 4", r"Datagram streams\s+[0-9.]+\s*Gb/s",
                     r"Stream drops\s+[0-9,]+\s*datagrams"):
            self.assertRegex(self.element("tiles").text, tile)
        self.assertGreater(self.get("/api/history")[-1]["traffic_gen"]["gbps"], 0)
        rows = lambda kind: [[c.text for c in r.find_elements(By.CSS_SELECTOR, "th, td")]
                             for r in self.driver.find_elements(By.CSS_SELECTOR, f"#panel-{kind} tbody tr")]
        wait_for("the tabs", lambda: self.driver.find_elements(By.ID, "tab-streams"))
        self.emulate(height=1900)
        self.element("tab-traffic_gens").click()
        self.screenshot("generators")
        self.assertEqual([r[:3] for r in rows("traffic_gens")], [[f"feb.{i}", "1", "1"] for i in range(4)])
        self.assertTrue(all(int(r[3].replace(",", "")) > 0 for r in rows("traffic_gens")), rows("traffic_gens"))
        self.element("tab-streams").click()
        self.assertEqual([r[0] for r in rows("streams")], [f"gpu{i}" for i in range(4)])
        self.assertIn("dropped datagrams no buffer", self.element("panel-streams").text)
        self.wait_samples(15)
        # new samples must not change the selected tab
        self.assertEqual(self.element("tab-streams").get_attribute("aria-selected"), "true")
        self.screenshot("streams")
        self.assert_fits()
        self.assert_clean_console()

    def test_time_of_workers(self):
        self.serve(live.congested())
        self.open()
        wait_for("the card", lambda: self.element("workers-card").is_displayed())
        self.wait_samples(15)
        # For each worker, read its numbers, the filled part of its bar, and the description of the bar, all in one call.
        rows = self.js("""const width = (e) => e.getBoundingClientRect().width;
            return [...document.querySelectorAll('#workers tbody tr')].map((row) => {
              const bar = row.querySelector('.shares');
              return [[...row.querySelectorAll('td')].slice(1).map((c) => parseFloat(c.textContent)),
                100 * [...bar.children].reduce((sum, part) => sum + width(part), 0) / width(bar), bar.ariaLabel]; });""")
        self.assertEqual(len(rows), 2)
        for worker, (shares, filled, label) in enumerate(rows):
            self.assertEqual(len(shares), 7)
            self.assertAlmostEqual(sum(shares), 100, delta=0.5)
            self.assertAlmostEqual(filled, 100 - shares[-1], delta=1)
            self.assertGreater(filled, 0)
            self.assertRegex(label, rf"^Worker {worker}: rx [0-9.]+ %, .* idle [0-9.]+ %$")
        self.screenshot("workers")
        self.emulate("dark", width=390, height=900)
        self.assert_fits()
        self.js("document.getElementById('workers-card').scrollIntoView()")
        self.screenshot("workers-dark")
        self.assert_clean_console()

    def test_it_comes_back_after_a_restart(self):
        config = live.congested()
        softfeb = self.serve(config)
        self.open()
        run = self.js("return softfeb.store.setup.run")
        softfeb.signal()
        self.assertEqual(softfeb.finish().status, 0)
        wait_for("the end", lambda: self.js("return softfeb.store.state") in ("ended", "lost"))
        self.screenshot("ended")
        self.serve(config, port=self.port)
        self.wait_state("running")
        self.assertNotEqual(self.js("return softfeb.store.setup.run"), run)
        self.wait_samples()
        self.assert_clean_console(away=True)

    def test_rtt_and_window(self):
        self.serve(live.swift())
        self.open()
        wait_for("the charts", lambda: self.element("rtt-card").is_displayed() and self.element("cwnd-card").is_displayed())
        self.wait_samples(20)
        for canvas in ("rtt", "cwnd"):
            pixels, points = self.drawn(canvas)
            self.assertGreater(pixels, 1500, canvas)
            self.assertGreater(points, 5, canvas)
        labels = "return Chart.getChart(arguments[0]).data.datasets.map(d => d.label)"
        self.assertEqual(self.js(labels, "rtt"), ["feb0 RTT", "feb0 target", "feb1 RTT", "feb1 target"])
        self.assertEqual(self.js(labels, "cwnd"), ["feb0 window", "feb1 window"])
        self.assertTrue(self.element("rtt-target").is_displayed())
        self.assertRegex(self.element("tiles").text, r"RTT, mean of all boards\s+[0-9.,]+\s*µs")
        self.assertRegex(self.element("rtt").get_attribute("aria-label"), r"feb0 [0-9.]+ microseconds, feb1 ")
        self.assertRegex(self.element("cwnd").get_attribute("aria-label"), r"feb0 [0-9.]+ (B|KiB|MiB), feb1 ")
        self.screenshot("swift")
        self.assert_fits()
        self.js("document.querySelector('#boards input').click()")
        wait_for("a board less", lambda: self.js(labels, "cwnd") == ["feb1 window"])
        self.emulate(width=390, height=900)
        self.assert_fits()
        self.assert_clean_console()

    def test_parameters_of_other_algorithms(self):
        self.serve(live.swift())
        self.open()
        field = wait_for("the form", lambda: self.driver.find_elements(By.ID, "p-beta"))[0]
        self.assertIn("how strongly delays above the target reduce the window; 0–1", self.element("p-beta-hint").text)
        self.assertIn("swift", self.element("p-where").text)
        field.clear()
        field.send_keys("1.5", Keys.ENTER)
        wait_for("a refusal", lambda: "write 0 to 1" in self.element("p-result").text)
        self.assertIn("wrong", field.find_element(By.XPATH, "..").get_attribute("class"))
        field.clear()
        field.send_keys("0.25", Keys.ENTER)
        wait_for("an answer", lambda: "Applied to feb0: beta = 0.25" in self.element("p-result").text)
        self.assertEqual(self.get("/api/dcqcn/feb0")["units"][0]["parameters"]["beta"], 0.25)

        # Select a board whose queue pairs have different algorithms.
        Select(self.element("p-board")).select_by_visible_text("feb1")
        wait_for("both algorithms", lambda: "different algorithms" in self.element("p-where").text)
        Select(self.element("p-qp")).select_by_visible_text("1")
        wait_for("those of TIMELY", lambda: self.driver.find_elements(By.ID, "p-t_low"))
        self.assertIn("timely", self.element("p-where").text)
        self.screenshot("swift-form")
        log = [e["message"] for e in self.driver.get_log("browser") if e["level"] == "SEVERE"]
        self.assertEqual([m for m in log if "400" not in m], [])

    def test_narrow_and_dark(self):
        self.serve(live.congested(3))
        self.open()
        for width in (320, 390, 768):
            self.emulate(width=width, height=900)
            self.wait_samples(2)
            self.assert_fits()
        self.emulate(width=390, height=2600)
        self.wait_samples(20)
        self.screenshot("narrow")
        self.emulate("dark")
        self.wait_samples(20)
        self.assertLess(self.luminance("html", "backgroundColor"), 0.15)
        self.assertLess(self.luminance(".card", "backgroundColor"), 0.2)
        self.assertGreater(self.luminance("h1", "color"), 0.8)
        self.assertGreater(self.drawn()[0], 2000)
        self.screenshot("dark")
        self.emulate()
        self.assertGreater(self.luminance("html", "backgroundColor"), 0.85)
        self.assertLess(self.luminance("h1", "color"), 0.2)
        self.assert_clean_console()

    def test_keyboard_and_names(self):
        self.serve(live.congested(3))
        self.open()
        self.driver.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
        self.assertEqual(self.driver.switch_to.active_element.get_attribute("class"), "skip")
        reached = set()
        for _ in range(60):
            active = self.driver.switch_to.active_element
            reached.add(active.get_attribute("id") or active.tag_name + (active.get_attribute("value") or ""))
            if active.get_attribute("type") == "checkbox" and active.get_attribute("value") == "1":
                active.send_keys(Keys.SPACE)
            active.send_keys(Keys.TAB)
        self.assertTrue({"window", "pause", "p-board", "p-rai", "tab-boards"} <= reached, reached)
        wait_for("a board less", lambda: self.js("return Chart.getChart('rates').data.datasets.length") == 4)
        tab = self.element("tab-boards")
        tab.send_keys(Keys.ARROW_RIGHT)
        self.assertTrue(self.element("panel-receivers").is_displayed())
        nameless = self.js("""return [...document.querySelectorAll('input, select, button, canvas, [role=tabpanel]')].filter(e =>
            !e.labels?.length && !e.getAttribute('aria-label') && !e.textContent.trim()).map(e => e.outerHTML)""")
        self.assertEqual(nameless, [])
        self.assert_clean_console()

    def test_a_camera(self):
        self.serve(live.camera())
        self.open()
        self.wait_samples(10)
        self.assertEqual(self.js("return document.querySelectorAll('#boards input').length"), 143)
        for box in self.driver.find_elements(By.CSS_SELECTOR, "#boards input")[:12]:
            if not box.is_selected() and box.is_enabled():
                self.js("arguments[0].click()", box)
        self.assertEqual(self.js("return document.querySelectorAll('#boards input:checked').length"), 8)
        self.assertEqual(self.js("return document.querySelectorAll('#boards input:disabled').length"), 135)
        wait_for("lines", lambda: self.js("return Chart.getChart('rates').data.datasets.length") == 19)
        self.element("filter").send_keys("-14")
        self.assertEqual(self.js("return document.querySelectorAll('#boards .chip:not([hidden])').length"), 4)
        self.assert_fits()
        self.wait_samples(10)
        self.screenshot("camera")
        self.assert_clean_console()


if __name__ == "__main__":
    harness.own_network()
    unittest.main(verbosity=2)
