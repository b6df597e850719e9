// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "roce/ip.hpp"
#include "shares.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <infiniband/verbs.h>

namespace softfeb::sink {

/// Thrown if the machine lacks a requirement (exit code 3). The message names the fix.
class NoDevice : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <auto Function>
struct Destroy {
  template <class T>
  void operator()(T* object) const {
    Function(object);
  }
};
using ContextPtr = std::unique_ptr<ibv_context, Destroy<ibv_close_device>>;
using PdPtr = std::unique_ptr<ibv_pd, Destroy<ibv_dealloc_pd>>;
using MrPtr = std::unique_ptr<ibv_mr, Destroy<ibv_dereg_mr>>;
using ChannelPtr = std::unique_ptr<ibv_comp_channel, Destroy<ibv_destroy_comp_channel>>;
using CqPtr = std::unique_ptr<ibv_cq, Destroy<ibv_destroy_cq>>;
using SrqPtr = std::unique_ptr<ibv_srq, Destroy<ibv_destroy_srq>>;
using QpPtr = std::unique_ptr<ibv_qp, Destroy<ibv_destroy_qp>>;

/// A source GID of a RoCE v2 port.
struct Gid {
  int index = 0;
  roce::IpAddress ip;
  std::string interface;                ///< network interface of this address
  std::optional<roce::MacAddress> mac;  ///< MAC of that interface
};

/// One port of an opened RDMA device.
class Device {
 public:
  /// Opens the device. An empty `name` selects the first device with a RoCE v2 GID on `port`. Throws
  /// NoDevice.
  Device(const std::string& name, std::uint8_t port);

  ibv_context* context() const { return context_.get(); }
  std::string name() const { return ibv_get_device_name(context_->device); }
  std::uint8_t port() const { return port_; }
  /// Folder of the port in sysfs, with its counters.
  std::string sysfs_port() const;
  ibv_port_attr port_attributes() const;  ///< current attributes. Throws NoDevice.
  ibv_device_attr attributes() const;     ///< Throws NoDevice.
  DeviceLimits limits() const;            ///< Throws NoDevice.
  /// Returns the name of the kernel driver; empty if sysfs does not tell.
  std::string driver() const;

  /// Returns a RoCE v2 GID for a connection to `peer`. With `index`, this is the GID at that index.
  /// Otherwise, it is the first GID of the peer's address family; for IPv6, global addresses are preferred to
  /// link-local ones. Returns an empty value if there is no such GID.
  std::optional<Gid> find_gid(const roce::IpAddress& peer, std::optional<int> index) const;

 private:
  ContextPtr context_;
  std::uint8_t port_;
};

/// The following functions convert between a path MTU in bytes and its code. The argument must be valid.
std::uint32_t mtu_bytes(ibv_mtu mtu);
ibv_mtu mtu_code(std::uint32_t bytes);

}  // namespace softfeb::sink
