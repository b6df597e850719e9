-- SPDX-License-Identifier: BSD-3-Clause
-- Wireshark dissector for softfeb's event header (lib/detector/event_header.hpp), which is at the beginning of each RDMA
-- WRITE of event data. Wireshark's InfiniBand dissector calls this dissector for payloads that begin with the header's
-- magic number.
--   wireshark -X lua_script:tools/wireshark/event_header.lua

local SIZE, VERSION, WORDS = 64, 1, 16
local QUARTERS = 4000000000
local TYPES = {[0] = "flatfield", [2] = "sky pedestal", [24] = "daq", [32] = "subarray", [255] = "unknown"}
local KINDS = {[0] = "counter", "waveform12", "waveform16", "roi", "replay", "beamlets"}

local event = Proto("sfeb", "Event Header")

local f = {
  magic = ProtoField.string("sfeb.magic", "Magic"),
  version = ProtoField.uint8("sfeb.version", "Version", base.DEC),
  words = ProtoField.uint8("sfeb.header_words", "Header length (32-bit words)", base.DEC),
  flags = ProtoField.uint16("sfeb.flags", "Flags", base.HEX),
  suppressed = ProtoField.bool("sfeb.flags.suppressed", "Zero-suppressed", 16, nil, 0x0001),
  segmented = ProtoField.bool("sfeb.flags.segmented", "Segmented", 16, nil, 0x0002),
  overlaps = ProtoField.bool("sfeb.flags.overlaps", "Overlaps the previous window", 16, nil, 0x0004),
  cut = ProtoField.bool("sfeb.flags.cut", "Cut", 16, nil, 0x0008),
  throttled = ProtoField.bool("sfeb.flags.throttled", "Throttled", 16, nil, 0x0010),
  not_synchronised = ProtoField.bool("sfeb.flags.not_synchronised", "Clock not synchronised", 16, nil, 0x0020),
  run = ProtoField.uint32("sfeb.run", "Run", base.DEC),
  board = ProtoField.uint16("sfeb.board", "Board", base.DEC),
  type = ProtoField.uint8("sfeb.type", "Event type", base.DEC, TYPES),
  kind = ProtoField.uint8("sfeb.kind", "Payload kind", base.DEC, KINDS),
  event = ProtoField.uint64("sfeb.event", "Event", base.DEC),
  seconds = ProtoField.uint32("sfeb.seconds", "TAI seconds", base.DEC),
  quarter_ns = ProtoField.uint32("sfeb.quarter_ns", "Quarter nanoseconds", base.DEC),
  length = ProtoField.uint32("sfeb.length", "Payload length", base.DEC),
  offset = ProtoField.uint32("sfeb.offset", "Offset", base.DEC),
  total = ProtoField.uint32("sfeb.total", "Total", base.DEC),
  channels = ProtoField.uint16("sfeb.channels", "Channels", base.DEC),
  samples = ProtoField.uint16("sfeb.samples", "Samples", base.DEC),
  lost = ProtoField.uint32("sfeb.lost", "Events lost by the board", base.DEC),
  reserved = ProtoField.uint32("sfeb.reserved", "Reserved", base.HEX),
  payload_crc = ProtoField.uint32("sfeb.payload_crc", "CRC of the payload", base.HEX),
  payload_crc_status = ProtoField.string("sfeb.payload_crc.status", "Status of the payload's CRC"),
  crc = ProtoField.uint32("sfeb.header_crc", "CRC of the header", base.HEX),
  crc_status = ProtoField.string("sfeb.header_crc.status", "Status of the header's CRC"),
  payload = ProtoField.bytes("sfeb.payload", "Payload"),
}
event.fields = {
  f.magic, f.version, f.words, f.flags, f.suppressed, f.segmented, f.overlaps, f.cut, f.throttled, f.not_synchronised, f.run,
  f.board, f.type, f.kind, f.event, f.seconds, f.quarter_ns, f.length, f.offset, f.total, f.channels, f.samples, f.lost,
  f.reserved, f.payload_crc, f.payload_crc_status, f.crc, f.crc_status, f.payload,
}

local function problem(name, text, group)
  return ProtoExpert.new("sfeb." .. name, text, group or expert.group.MALFORMED, expert.severity.ERROR)
end
local e = {
  short = problem("short", "Truncated header"),
  version = problem("bad_version", "Unknown version"),
  header_size = problem("bad_header_size", "Wrong header length"),
  header_crc = problem("bad_header_crc", "Bad CRC of the header", expert.group.CHECKSUM),
  time = problem("bad_time", "Quarter nanoseconds beyond the second"),
  bounds = problem("bad_bounds", "Offset and length exceed the total"),
  size = problem("bad_size", "The message ends before or after its payload"),
  payload_crc = problem("bad_payload_crc", "Bad CRC of the payload", expert.group.CHECKSUM),
}
event.experts = {e.short, e.version, e.header_size, e.header_crc, e.time, e.bounds, e.size, e.payload_crc}

-- Lua 5.2 has a library for bit operations, but no operators.
local band, bxor, rshift = bit32.band, bit32.bxor, bit32.rshift

local TABLE = {}
for n = 0, 255 do
  local crc = n
  for _ = 1, 8 do crc = band(crc, 1) == 1 and bxor(rshift(crc, 1), 0xEDB88320) or rshift(crc, 1) end
  TABLE[n] = crc
end

-- Returns the same CRC-32 as zlib's crc32().
local function crc32(range)
  local crc = 0xFFFFFFFF
  if range then
    local bytes = range:bytes()
    for i = 0, bytes:len() - 1 do crc = bxor(rshift(crc, 8), TABLE[band(bxor(crc, bytes:get_index(i)), 0xFF)]) end
  end
  return bxor(crc, 0xFFFFFFFF)
end

local function show_flags(tvb, tree)
  local flags = tree:add_le(f.flags, tvb(6, 2))
  for _, name in ipairs({"suppressed", "segmented", "overlaps", "cut", "throttled", "not_synchronised"}) do
    flags:add_le(f[name], tvb(6, 2))
  end
end

-- Shows the status of a CRC: "Good", "Bad", or why it could not be checked.
local function show_status(field, range, tree, item, status, failure)
  tree:add(field, range, status):set_generated()
  item:append_text(" [" .. status:lower() .. "]")
  if status == "Bad" then item:add_proto_expert_info(failure) end
end

local function show_fields(tvb, tree)
  tree:add(f.magic, tvb(0, 4))
  local items = {version = tree:add(f.version, tvb(4, 1)), words = tree:add(f.words, tvb(5, 1))}
  show_flags(tvb, tree)
  tree:add_le(f.run, tvb(8, 4))
  tree:add_le(f.board, tvb(12, 2))
  tree:add(f.type, tvb(14, 1))
  tree:add(f.kind, tvb(15, 1))
  tree:add_le(f.event, tvb(16, 8))
  tree:add_le(f.seconds, tvb(24, 4))
  items.time = tree:add_le(f.quarter_ns, tvb(28, 4))
  items.length = tree:add_le(f.length, tvb(32, 4))
  items.offset = tree:add_le(f.offset, tvb(36, 4))
  tree:add_le(f.total, tvb(40, 4))
  tree:add_le(f.channels, tvb(44, 2))
  tree:add_le(f.samples, tvb(46, 2))
  tree:add_le(f.lost, tvb(48, 4))
  tree:add_le(f.reserved, tvb(52, 4))
  items.payload_crc = tree:add_le(f.payload_crc, tvb(56, 4))
  items.crc = tree:add_le(f.crc, tvb(60, 4))
  return items
end

local function show_payload_crc(tvb, tree, items, whole, length)
  local payload = tvb:len() > SIZE and tvb(SIZE) or nil
  local status = "Unknown: further packets have the rest"
  if whole and length == tvb:len() - SIZE then
    status = crc32(payload) == tvb(56, 4):le_uint() and "Good" or "Bad"
  elseif whole then
    status = "Unknown: wrong size"
    items.length:add_proto_expert_info(e.size)
  end
  show_status(f.payload_crc_status, tvb(56, 4), tree, items.payload_crc, status, e.payload_crc)
  if payload then tree:add(f.payload, payload) end
end

-- Shows the header. `whole` is true if the packet contains the whole message.
local function show_header(tvb, tree, whole)
  local items = show_fields(tvb, tree)
  if tvb(4, 1):uint() ~= VERSION then items.version:add_proto_expert_info(e.version) end
  if tvb(5, 1):uint() ~= WORDS then items.words:add_proto_expert_info(e.header_size) end
  local good = crc32(tvb(0, 60)) == tvb(60, 4):le_uint()
  show_status(f.crc_status, tvb(60, 4), tree, items.crc, good and "Good" or "Bad", e.header_crc)
  if tvb(28, 4):le_uint() >= QUARTERS then items.time:add_proto_expert_info(e.time) end
  local length = tvb(32, 4):le_uint()
  if tvb(36, 4):le_uint() + length > tvb(40, 4):le_uint() then items.offset:add_proto_expert_info(e.bounds) end
  show_payload_crc(tvb, tree, items, whole, length)
end

local opcode_field, pad_field = Field.new("infiniband.bth.opcode"), Field.new("infiniband.bth.padcnt")
-- Opcodes of packets that contain a whole message: WRITE Only with and without immediate, over RC and UC.
local ONLY = {[0x0A] = true, [0x0B] = true, [0x2A] = true, [0x2B] = true}

function event.dissector(tvb, pinfo, root)
  local tree = root:add(event, tvb())
  if tvb:len() < SIZE then
    tree:add_proto_expert_info(e.short)
    return tvb:len()
  end
  local opcode = opcode_field()
  show_header(tvb, tree, opcode ~= nil and ONLY[opcode.value] == true)
  local text = string.format("event %s, board %d", tostring(tvb(16, 8):le_uint64()), tvb(12, 2):le_uint())
  tree:append_text(", " .. text)
  pinfo.cols.info:append(" [" .. text .. "]")
  return tvb:len()
end

local function recognise(tvb, pinfo, root)
  if tvb:len() < 4 or tvb(0, 4):string() ~= "SFEB" then return false end
  -- The InfiniBand dissector counts the padding as payload.
  local pad = pad_field()
  event.dissector(tvb(0, math.max(4, tvb:len() - (pad and pad.value or 0))):tvb(), pinfo, root)
  return true
end
event:register_heuristic("infiniband.payload", recognise)
