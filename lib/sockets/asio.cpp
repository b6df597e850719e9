// SPDX-License-Identifier: BSD-3-Clause
// The only translation unit that compiles Boost.Asio. In all other translation units, a macro set by
// asio_dep reduces Boost.Asio to declarations.
#include <boost/asio/impl/src.hpp>
