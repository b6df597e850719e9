// SPDX-License-Identifier: BSD-3-Clause
// The only translation unit that compiles Boost.Asio. In all others, the macro that asio_dep sets reduces
// Boost.Asio to declarations.
#include <boost/asio/impl/src.hpp>
