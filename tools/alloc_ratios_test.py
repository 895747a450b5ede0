import json
import unittest

import alloc_ratios

DRAY = json.dumps(
    {
        "benchmarks": [
            {"name": "bm_four_gpus_warm", "real_time": 1.0, "time_unit": "ms"},
            {"name": "bm_hopeless/4", "real_time": 10.0, "time_unit": "us"},
            {"name": "bm_without_peer", "real_time": 10.0, "time_unit": "us"},
        ]
    }
)
PEER = "four_gpus 100000\nhopeless/4 >3000000000\n"


class BenchRatios(unittest.TestCase):
    def test_times_are_by_node_and_ratios_say_what_was_given_up(self):
        lines = alloc_ratios.table(alloc_ratios.dray_times(DRAY), alloc_ratios.peer_times(PEER))
        self.assertEqual(
            [line.split() for line in lines],
            [
                ["dray", "us", "upstream", "us", "ratio"],
                ["four_gpus_warm", "0.200", "100.0", "500"],
                ["hopeless/4", "10.000", ">3000000.0", ">300000"],
            ],
        )


if __name__ == "__main__":
    unittest.main()
