// SPDX-License-Identifier: BSD-3-Clause
#include "conformance_answers.hpp"

#include <arpa/inet.h>
#include <sys/utsname.h>

namespace softfeb::sink {

namespace {

using nlohmann::json;

json opcode_of(const ibv_wc& wc) {
  if (wc.opcode == IBV_WC_RECV) return "recv";
  if (wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM) return "recv_rdma_with_imm";
  return std::to_string(wc.opcode);
}

}  // namespace

json describe(const Device& device, const Gid& gid) {
  const ibv_device_attr attributes = device.attributes();
  const ibv_port_attr port = device.port_attributes();
  utsname host{};
  uname(&host);
  json line = describe(gid);
  line["device"] = device.name();
  line["driver"] = device.driver();
  line["firmware"] = attributes.fw_ver;
  line["vendor_id"] = attributes.vendor_id;
  line["vendor_part_id"] = attributes.vendor_part_id;
  line["kernel"] = host.release;
  line["active_mtu"] = mtu_bytes(port.active_mtu);
  line["max_msg_sz"] = port.max_msg_sz;
  line["atomics"] = attributes.atomic_cap != IBV_ATOMIC_NONE;
  return line;
}

json describe(const Gid& gid) {
  json line{{"ip", gid.ip.to_string()}, {"gid_index", gid.index}};
  if (gid.mac) line["mac"] = roce::to_string(*gid.mac);
  return line;
}

json describe(const ibv_wc& wc) {
  json line{{"qpn", wc.qp_num},
            {"status", ibv_wc_status_str(wc.status)},
            {"opcode", nullptr},
            {"byte_len", nullptr},
            {"immediate", nullptr}};
  if (wc.status != IBV_WC_SUCCESS) return line;
  line["opcode"] = opcode_of(wc);
  line["byte_len"] = wc.byte_len;
  if ((wc.wc_flags & IBV_WC_WITH_IMM) != 0) line["immediate"] = ntohl(wc.imm_data);
  return line;
}

}  // namespace softfeb::sink
