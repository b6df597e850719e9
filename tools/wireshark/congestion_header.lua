-- SPDX-License-Identifier: BSD-3-Clause
-- Wireshark dissector for softfeb's congestion control header (CCH), which lies between UDP and BTH in frames to
-- UDP port 49791 (lib/roce/congestion_header.hpp). Shows the fields of the header, and passes the rest of the frame to
-- Wireshark's own InfiniBand dissector.
--   wireshark -X lua_script:tools/wireshark/congestion_header.lua

local COMMON, LARGEST = 8, 64
local DELAY, INT, CREDIT, FIRST_USER = 1, 2, 3, 0xF0
local MAX_RECORDS, RECORD = 5, 8
local ROCE_PORT, BTH, CONTROL_OPCODE = 4791, 12, 0xC0
local SIZES = {[DELAY] = 16, [INT] = COMMON + RECORD * MAX_RECORDS, [CREDIT] = 20}
local PROFILES = {[DELAY] = "delay", [INT] = "INT", [CREDIT] = "credit"}
local KINDS = {[1] = "GRANT", [2] = "RESEND", [3] = "BUSY"}
-- Link rates by code, in Mb/s.
local RATES = {[0] = 1000, 2500, 5000, 10000, 25000, 40000, 50000, 100000, 200000, 400000, 800000, 1600000}

local cch = Proto("cch", "Congestion Control Header")

local f = {
  version = ProtoField.uint8("cch.version", "Version", base.DEC, nil, 0xF0),
  echo = ProtoField.bool("cch.flags.echo", "Echo", 8, nil, 0x08),
  control = ProtoField.bool("cch.flags.control", "Control frame", 8, nil, 0x04),
  more_hops = ProtoField.bool("cch.flags.more_hops", "More hops than records", 8, nil, 0x02),
  flags = ProtoField.uint8("cch.flags", "Flags", base.HEX, nil, 0x0F),
  profile = ProtoField.uint8("cch.profile", "Profile", base.HEX),
  length = ProtoField.uint8("cch.length", "Length (32-bit words)", base.DEC),
  hops = ProtoField.uint8("cch.hops", "Hops", base.DEC),
  checksum = ProtoField.uint16("cch.checksum", "Checksum", base.HEX),
  checksum_status = ProtoField.string("cch.checksum.status", "Checksum status"),
  path = ProtoField.uint16("cch.path", "Path", base.HEX),
  departed = ProtoField.uint32("cch.delay.departed", "Departure (ns modulo 2^32)", base.DEC),
  remote = ProtoField.uint32("cch.delay.remote", "Remote delay (ns)", base.DEC),
  record = ProtoField.bytes("cch.int.record", "INT record"),
  rate_code = ProtoField.uint8("cch.int.rate_code", "Rate code", base.DEC),
  rate = ProtoField.uint32("cch.int.rate", "Link rate (Mb/s)", base.DEC),
  time = ProtoField.uint32("cch.int.time", "Time (ns modulo 2^24)", base.DEC),
  tx = ProtoField.uint32("cch.int.tx", "Bytes sent (modulo 2^27)", base.DEC),
  queue = ProtoField.uint32("cch.int.queue", "Queue (bytes)", base.DEC),
  unused = ProtoField.bytes("cch.int.unused", "Unused records"),
  kind = ProtoField.uint8("cch.credit.kind", "Kind", base.DEC, KINDS),
  priority = ProtoField.uint8("cch.credit.priority", "Priority", base.DEC),
  last_psn = ProtoField.uint32("cch.credit.last_psn", "Last PSN allowed", base.DEC, nil, 0x00FFFFFF),
  first_missing = ProtoField.uint32("cch.credit.first_missing", "First missing PSN", base.DEC, nil, 0x00FFFFFF),
  body = ProtoField.bytes("cch.body", "Body"),
}
cch.fields = {
  f.version, f.echo, f.control, f.more_hops, f.flags, f.profile, f.length, f.hops, f.checksum, f.checksum_status, f.path,
  f.departed, f.remote, f.record, f.rate_code, f.rate, f.time, f.tx, f.queue, f.unused, f.kind, f.priority, f.last_psn,
  f.first_missing, f.body,
}

local e = {
  version = ProtoExpert.new("cch.bad_version", "Unknown version", expert.group.MALFORMED, expert.severity.ERROR),
  length = ProtoExpert.new("cch.bad_length", "Wrong length", expert.group.MALFORMED, expert.severity.ERROR),
  truncated = ProtoExpert.new("cch.truncated", "Truncated header", expert.group.MALFORMED, expert.severity.ERROR),
  checksum = ProtoExpert.new("cch.bad_checksum", "Bad checksum", expert.group.CHECKSUM, expert.severity.ERROR),
}
cch.experts = {e.version, e.length, e.truncated, e.checksum}

cch.prefs.port = Pref.uint("UDP port", 49791, "cc_port of the endpoints")

-- Returns true if the Internet checksum (RFC 1071) is correct. `range` includes the checksum, and has an even number of bytes.
local function checksum_holds(range)
  local sum = 0
  for at = 0, range:len() - 2, 2 do sum = sum + range(at, 2):uint() end
  while sum > 0xFFFF do sum = sum % 0x10000 + math.floor(sum / 0x10000) end
  return sum == 0xFFFF
end

local function profile_name(profile)
  return PROFILES[profile] or (profile >= FIRST_USER and "user") or "unknown"
end

local function rate_text(mbps)
  return mbps and string.format("%g Gb/s", mbps / 1000) or "unknown rate"
end

local function show_record(range, tree, number)
  local code = range:bitfield(0, 4)
  local time = range:bitfield(4, 24)
  local tx = range:bitfield(28, 20) * 128
  local queue = range:bitfield(48, 16) * 80
  local node = tree:add(f.record, range)
  node:set_text(string.format("INT record %d: %s, %d ns, %d bytes sent, queue %d bytes", number, rate_text(RATES[code]), time,
                              tx, queue))
  node:add(f.rate_code, range(0, 1), code)
  if RATES[code] then node:add(f.rate, range(0, 1), RATES[code]):set_generated() end
  node:add(f.time, range(0, 4), time)
  node:add(f.tx, range(3, 3), tx)
  node:add(f.queue, range(6, 2), queue)
end

local show_body = {
  [DELAY] = function(body, tree)
    tree:add(f.departed, body(0, 4))
    tree:add(f.remote, body(4, 4))
  end,
  [INT] = function(body, tree, hops)
    local count = math.min(hops, MAX_RECORDS)
    for i = 0, count - 1 do show_record(body(RECORD * i, RECORD), tree, i + 1) end
    if count < MAX_RECORDS then tree:add(f.unused, body(RECORD * count)) end
  end,
  [CREDIT] = function(body, tree)
    tree:add(f.kind, body(0, 1))
    tree:add(f.priority, body(1, 1))
    tree:add(f.last_psn, body(4, 4))
    tree:add(f.first_missing, body(8, 4))
  end,
}

local function show_common(tvb, tree)
  tree:add(f.version, tvb(0, 1))
  local flags = tree:add(f.flags, tvb(0, 1))
  flags:add(f.echo, tvb(0, 1))
  flags:add(f.control, tvb(0, 1))
  flags:add(f.more_hops, tvb(0, 1))
  tree:add(f.profile, tvb(1, 1)):append_text(" (" .. profile_name(tvb(1, 1):uint()) .. ")")
  local length = tree:add(f.length, tvb(2, 1))
  length:append_text(string.format(" (%d bytes)", 4 * tvb(2, 1):uint()))
  tree:add(f.hops, tvb(3, 1))
  local checksum = tree:add(f.checksum, tvb(4, 2))
  tree:add(f.path, tvb(6, 2))
  return length, checksum
end

local function show_checksum(header, tree, item)
  local good = checksum_holds(header)
  tree:add(f.checksum_status, header(4, 2), good and "Good" or "Bad"):set_generated()
  item:append_text(good and " [correct]" or " [incorrect]")
  if not good then item:add_proto_expert_info(e.checksum) end
  return good
end

-- Returns the text for a header in the Info column.
local function summary(tvb)
  local flags, profile = tvb(0, 1):bitfield(4, 4), tvb(1, 1):uint()
  local text = profile_name(profile)
  if profile == CREDIT and tvb:len() > COMMON then text = text .. " " .. (KINDS[tvb(COMMON, 1):uint()] or "?") end
  if flags % 16 >= 8 then text = text .. " echo" end
  return string.format(" [CCH %s, %d hops]", text, tvb(3, 1):uint())
end

-- Shows the header. Returns its size in bytes, or nil if its size is invalid or its end is missing.
local function show_header(tvb, root)
  if tvb:len() < COMMON then
    root:add(cch, tvb()):add_proto_expert_info(e.truncated)
    return nil
  end
  local size, profile = 4 * tvb(2, 1):uint(), tvb(1, 1):uint()
  local fits = size >= COMMON and size <= LARGEST
  local tree = root:add(cch, tvb(0, fits and math.min(size, tvb:len()) or COMMON))
  tree:append_text(", " .. profile_name(profile))
  local length, checksum = show_common(tvb, tree)
  if tvb(0, 1):bitfield(0, 4) ~= 1 then tree:add_proto_expert_info(e.version) end
  if not fits then
    length:add_proto_expert_info(e.length)
    return nil
  elseif size > tvb:len() then
    tree:add_proto_expert_info(e.truncated)
    return nil
  end
  show_checksum(tvb(0, size), tree, checksum)
  local body = size > COMMON and tvb(COMMON, size - COMMON)
  if SIZES[profile] and SIZES[profile] ~= size then
    length:add_proto_expert_info(e.length)
    if body then tree:add(f.body, body) end
  elseif show_body[profile] then
    show_body[profile](body, tree, tvb(3, 1):uint())
  elseif body then
    tree:add(f.body, body)
  end
  return size
end

function cch.dissector(tvb, pinfo, root)
  local size = show_header(tvb, root)
  if size and size < tvb:len() then
    local infiniband = DissectorTable.get("udp.port"):get_dissector(ROCE_PORT)
    -- Ignore errors of the InfiniBand dissector, because it shows malformed packets in the tree itself.
    if infiniband then pcall(infiniband.call, infiniband, tvb(size):tvb(), pinfo, root) end
    -- The InfiniBand dissector does not know the opcode of control frames.
    if tvb:len() >= size + BTH and tvb(size, 1):uint() == CONTROL_OPCODE then
      pinfo.cols.info = string.format("Control QP=0x%06x", tvb(size + 5, 3):uint())
    end
  else
    pinfo.cols.protocol = "CCH"
    pinfo.cols.info = size and "No packet behind the header" or "Invalid header"
  end
  if tvb:len() >= COMMON then pinfo.cols.info:append(summary(tvb)) end
  return tvb:len()
end

local registered
local function register()
  local ports = DissectorTable.get("udp.port")
  if registered then ports:remove(registered, cch) end
  registered = cch.prefs.port
  ports:add(registered, cch)
end
cch.prefs_changed = register
register()
