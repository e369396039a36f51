#pragma once
#include <string>
#include <vector>

namespace ion {

/// Names below `folder`, relative to it, of entries that others (neither owner nor group) may not read: files without that right,
/// and folders that others cannot list or enter. A folder with such a name below it, or with one of `apart` below it, is granted
/// entry by entry. There links to such entries count too. A listed folder is not searched. Entries that this user cannot list are
/// left out. Beyond `kMostEntries` entries the folder that contains them is listed as a whole.
std::vector<std::string> closed_to_others(const std::string& folder, const std::vector<std::string>& apart);

}  // namespace ion
