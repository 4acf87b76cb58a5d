// What passes agree on beside the plan.

struct Params {
    boxes: u32,
    // Capacity of the table, in groups of four cells, and how many cells a box is worth in it.
    table_quads: u32,
    cells_per_box: u32,
    pair_capacity: u32,
    heavy_capacity: u32,
}

const NOWHERE = 0xffffffffu;
// Rank in the cell and level share a word.
const RANK_BITS = 27u;
// The words of the status: levels in use (a bit each), pairs found (two words), ranges of candidates left to the second
// pass (two words).
const STATUS_LEVELS = 0u;
const STATUS_PAIRS = 1u;
const STATUS_PAIRS_HIGH = 2u;
const STATUS_HEAVY = 3u;
const STATUS_HEAVY_HIGH = 4u;
