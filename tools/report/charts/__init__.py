# SPDX-License-Identifier: BSD-3-Clause
"""One module per chart. A maker is a function that yields Charts, but only those for which the folder contains data."""

from . import camera, compared, control_state, distribution, events, fairness, heatmap, many_boards, queue, rates, sawtooth, stages, threshold, tracking, use

# Makers of the charts of a run, in their order on the page.
MAKERS = (rates.make, many_boards.make, distribution.make, control_state.make, queue.make, threshold.make, fairness.make, use.make, events.make,
          sawtooth.make, tracking.make, heatmap.make, camera.latency, camera.image, stages.make)
# Makers of the charts of a comparison.
COMPARED = (compared.rates, compared.queue, compared.queue_shares, compared.fairness, compared.round_trips, compared.completion)
FEW = 8  # maximum number of boards for which each board has a panel
