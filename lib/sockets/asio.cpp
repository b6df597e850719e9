// SPDX-License-Identifier: BSD-3-Clause
// The only translation unit that compiles Boost.Asio; all others see declarations only, through the macro
// that asio_dep sets.
#include <boost/asio/impl/src.hpp>
