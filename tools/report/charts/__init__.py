# SPDX-License-Identifier: BSD-3-Clause
"""One file per chart. A maker takes the folder and yields the Charts that its data allow."""

from . import camera, compared, control_state, events, fairness, heatmap, many_boards, queue, rates, sawtooth, stages, threshold, tracking, use

# In the order of the page.
MAKERS = (rates.make, many_boards.make, control_state.make, queue.make, threshold.make, fairness.make, use.make, events.make,
          sawtooth.make, tracking.make, heatmap.make, camera.latency, camera.image, stages.make)
# Of a comparison.
COMPARED = (compared.rates, compared.queue, compared.queue_shares, compared.fairness, compared.round_trips, compared.completion)
FEW = 8  # largest number of boards with a panel each
