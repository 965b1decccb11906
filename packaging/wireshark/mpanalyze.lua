-- Fields of the comments that "mpanalyze extract --comments" writes, for Wireshark and tshark 4.0 or later:
--
--   mpanalyze extract session.pcap --comments -o annotated.pcapng
--   tshark -r annotated.pcapng -X lua_script:mpanalyze.lua -Y mpanalyze.reinjection_of
--
-- docs/other-tools.md explains the fields and says where the script is installed. Their names are
-- also those of "mpanalyze packets -e NAME".

local mpanalyze = Proto("mpanalyze", "Multipath TCP, analysed by mpanalyze")

-- How the value of a field is made of its text. A number of Lua holds integers up to 2^53, more
-- than the bytes of a capture.
local function text(s) return s end
local function number(s) return tonumber(s) end
local function signed(s) return Int64.new(tonumber(s)) end
local function unsigned(s) return UInt64.new(tonumber(s)) end
local function time(s)
  local sign, seconds, rest = s:match("^(-?)(%d+)%.(%d+)$")
  local factor = sign == "-" and -1 or 1
  return NSTime.new(factor * tonumber(seconds), factor * tonumber(rest))
end

local known = {} -- by the key in a comment: the field, and how its value is made

local function field(make, convert, key, title, ...)
  local f = make("mpanalyze." .. key, title, ...)
  known[key] = { field = f, convert = convert }
  table.insert(mpanalyze.fields, f)
end

field(ProtoField.uint64, unsigned, "packet", "Packet number in the analysis")
field(ProtoField.string, text, "kind", "Protocol of the connection")
field(ProtoField.uint32, number, "connection", "Connection")
field(ProtoField.uint32, number, "subflow", "Subflow")
field(ProtoField.string, text, "direction", "Direction")
field(ProtoField.relative_time, time, "t_s", "Time since the connection's first packet")
field(ProtoField.string, text, "transmission", "Transmission")
field(ProtoField.framenum, number, "retransmission_of", "Retransmission of", base.NONE, frametype.RETRANS_PREV)
field(ProtoField.framenum, number, "reinjection_of", "Reinjection of", base.NONE, frametype.RETRANS_PREV)
field(ProtoField.string, text, "mark", "Mark")
field(ProtoField.int64, signed, "ssn", "First byte in the subflow's stream")
field(ProtoField.int64, signed, "ssn_end", "Byte behind the last in the subflow's stream")
field(ProtoField.int64, signed, "dsn", "First byte in the connection's stream")
field(ProtoField.int64, signed, "dsn_end", "Byte behind the last in the connection's stream")
field(ProtoField.int64, signed, "mapping.dsn", "Mapping from byte of the connection's stream")
field(ProtoField.int64, signed, "mapping.ssn", "Mapping from byte of the subflow's stream")
field(ProtoField.int64, signed, "mapping.length", "Length of the mapping")
field(ProtoField.int64, signed, "data_ack", "DATA_ACK in the other end's stream")
field(ProtoField.double, number, "rtt_ms", "Round trip from here, ms")
field(ProtoField.string, text, "checksum", "Verdict on a DSS checksum")
field(ProtoField.string, text, "event", "Event")
field(ProtoField.string, text, "verdict", "Verdict that the packet proves")

local comment = Field.new("frame.comment")

local function dissect(values, tree)
  for key, all in values:gmatch("([%w_.]+)=(%S+)") do
    local f = known[key] -- nil for one of a later version of mpanalyze
    for one in all:gmatch("[^,]+") do
      if f then
        tree:add(f.field, f.convert(one))
      end
    end
  end
end

function mpanalyze.dissector(buffer, _, tree)
  for _, c in ipairs({ comment() }) do
    local values = tostring(c.value):match("^mpanalyze:(.*)$")
    if values then
      dissect(values, tree:add(mpanalyze, buffer(0, 0)))
    end
  end
end

register_postdissector(mpanalyze)
