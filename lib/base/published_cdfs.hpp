// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cdf.hpp"

namespace softfeb {

/// Message lengths of published workloads, as contained in the HPCC paper's artefact.

/// Web search: Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010. Mean 1.71 MB.
inline Cdf web_search_cdf() {
  return Cdf({{0, 0.0},
              {10'000, 0.15},
              {20'000, 0.20},
              {30'000, 0.30},
              {50'000, 0.40},
              {80'000, 0.53},
              {200'000, 0.60},
              {1'000'000, 0.70},
              {2'000'000, 0.80},
              {5'000'000, 0.90},
              {10'000'000, 0.97},
              {30'000'000, 1.0}});
}

/// Hadoop: Roy et al., "Inside the Social Network's (Datacenter) Network", SIGCOMM 2015. Mean 120 kB.
inline Cdf hadoop_cdf() {
  return Cdf({{0, 0.0},        {100, 0.01},     {200, 0.02},        {300, 0.05},       {350, 0.15},
              {400, 0.20},     {500, 0.30},     {600, 0.40},        {700, 0.50},       {1'000, 0.60},
              {2'000, 0.67},   {7'000, 0.70},   {30'000, 0.72},     {50'000, 0.82},    {80'000, 0.87},
              {120'000, 0.90}, {300'000, 0.95}, {1'000'000, 0.975}, {2'000'000, 0.99}, {10'000'000, 1.0}});
}

}  // namespace softfeb
