// What the stages of the hierarchical grid agree on.

struct HgridParams {
    boxes: u32,
    levels: u32,
    // Entries there are: eight for each box and level.
    entries: u32,
    pair_capacity: u32,
    // Is there a matrix of pairs tested? Else a local rule decides in which cell a pair is tested.
    matrix: u32,
    // Which of the dispatches of the traversal this is.
    round: u32,
}

// The key of an entry that is not used. Else it is the level, and the number of the cell in its level.
const UNUSED = 0xffffffffu;
const CELL_BITS = 29u;

// Tests a thread makes in one dispatch: what a cell has more is left to the next.
const TESTS_PER_ROUND = 16384u;
// The word of the status that says how many boxes the fullest cell has.
const STATUS_FULLEST = 5u;
