// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/endpoints.hpp"

/// Boards and receivers are made by lib/lab, for real and for virtual time.
namespace softfeb::app {

using lab::add_neighbours;
using lab::bus_congestion;
using lab::congestion_of;
using lab::dcqcn_of;
using lab::Endpoints;
using lab::HostMemory;
using lab::HostPlan;
using lab::identity_of;
using lab::make_endpoints;
using lab::make_listeners;
using lab::Payloads;
using lab::ReceiverMemory;

}  // namespace softfeb::app
