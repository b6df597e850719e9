// SPDX-License-Identifier: BSD-3-Clause
#include "eventfile/event_rows.hpp"

#include <cstddef>
#include <initializer_list>

namespace softfeb::eventfile {

namespace {

struct Column {
  const char* name;
  std::size_t offset;
  hid_t type;
};

TypeHandle row_type(std::size_t size, std::initializer_list<Column> columns) {
  TypeHandle type(checked(H5Tcreate(H5T_COMPOUND, size), "create a type"));
  for (const Column& c : columns) checked(H5Tinsert(type, c.name, c.offset, c.type), "create a type");
  return type;
}

}  // namespace

TypeHandle event_type() {
  return row_type(sizeof(EventRow), {{"event", offsetof(EventRow, event), H5T_STD_U64LE},
                                     {"seconds", offsetof(EventRow, seconds), H5T_STD_U32LE},
                                     {"quarter_ns", offsetof(EventRow, quarter_ns), H5T_STD_U32LE},
                                     {"type", offsetof(EventRow, type), H5T_STD_U8LE},
                                     {"status", offsetof(EventRow, status), H5T_STD_U8LE},
                                     {"boards", offsetof(EventRow, boards), H5T_STD_U16LE},
                                     {"latency_ns", offsetof(EventRow, latency_ns), H5T_STD_I64LE},
                                     {"first_fragment", offsetof(EventRow, first_fragment), H5T_STD_U64LE},
                                     {"fragments", offsetof(EventRow, fragments), H5T_STD_U32LE}});
}

TypeHandle fragment_type() {
  return row_type(sizeof(FragmentRow),
                  {{"event", offsetof(FragmentRow, event), H5T_STD_U64LE},
                   {"board", offsetof(FragmentRow, board), H5T_STD_U16LE},
                   {"kind", offsetof(FragmentRow, kind), H5T_STD_U8LE},
                   {"flags", offsetof(FragmentRow, flags), H5T_STD_U16LE},
                   {"status", offsetof(FragmentRow, status), H5T_STD_U8LE},
                   {"offset", offsetof(FragmentRow, offset), H5T_STD_U64LE},
                   {"length", offsetof(FragmentRow, length), H5T_STD_U32LE},
                   {"missing_pieces", offsetof(FragmentRow, missing_pieces), H5T_STD_U32LE}});
}

}  // namespace softfeb::eventfile
