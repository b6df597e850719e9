// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "eventfile/hdf5.hpp"

/// HDF5 types of the rows in event_rows.hpp. Callers hold hdf5_lock().
namespace softfeb::eventfile {

TypeHandle event_type();     ///< EventRow
TypeHandle fragment_type();  ///< FragmentRow

}  // namespace softfeb::eventfile
