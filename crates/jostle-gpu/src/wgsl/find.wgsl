// Every box against those it could overlap: a thread per box, in the order of cells.
//
// Exactly once: of two boxes at home on different levels, the finer one looks. Of two on the same level, the one whose
// cell comes first (z, then y, then x), and in one cell the one that is listed first. Cells that a box looks into are
// different places of the table, because a table is at least as wide as the window a box looks through.
//
// Long ranges of candidates are put into a list, from which `find_heavy` deals them to whole workgroups. Where the list
// is too short for all, the host makes it longer and searches again.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> plan: Plan;
@group(0) @binding(2) var<storage, read> table: array<u32>;
@group(0) @binding(3) var<storage, read> records: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> status: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> pairs: array<vec2<u32>>;
@group(0) @binding(6) var<storage, read_write> heavy: array<vec4<u32>>;

// Ranges longer than this are left to workgroups, in pieces, as are all ranges of a box that has seen enough: no thread
// works for long while others wait.
const HEAVY = 256u;
const ENOUGH = 4096u;
const PIECE = 1024u;
const LONG_PIECE = 16384u;
const THREADS = 128u;

fn test_all(first: vec4<u32>, second: vec4<u32>, begin: u32, end: u32) {
    for (var other = begin; other < end; other++) {
        let xy = records[other * 2u];
        if (first.x <= xy.y && xy.x <= first.y && first.z <= xy.w && xy.z <= first.w) {
            let z = records[other * 2u + 1u];
            if (second.x <= z.y && z.x <= second.y) {
                emit(second.z, z.z);
            }
        }
    }
}

// Candidates this thread has tested.
var<private> tested: u32;

fn visit(me: u32, first: vec4<u32>, second: vec4<u32>, begin: u32, end: u32) {
    let length = end - begin;
    if (length <= HEAVY && tested < ENOUGH) {
        tested += length;
        test_all(first, second, begin, end);
        return;
    }
    let piece = select(PIECE, LONG_PIECE, length > LONG_PIECE);
    let pieces = (length + piece - 1u) / piece;
    let at = atomicAdd(&status[STATUS_HEAVY], pieces);
    if (at + pieces < at) {
        atomicAdd(&status[STATUS_HEAVY_HIGH], 1u);
    }
    for (var i = 0u; i < pieces && at + i < params.heavy_capacity; i++) {
        let start = begin + i * piece;
        heavy[at + i] = vec4(me, start, min(start + piece, end), 0u);
    }
}

fn look(me: u32) {
    tested = 0u;
    let first = records[me * 2u];
    let second = records[me * 2u + 1u];
    let home = second.w;
    let low = cell(vec3(first.x, first.z, second.x)) >> vec3(home);
    let high = cell(vec3(first.y, first.w, second.y)) >> vec3(home);
    var levels = atomicLoad(&status[STATUS_LEVELS]) & ~((1u << home) - 1u);
    while (levels != 0u) {
        let level = firstTrailingBit(levels);
        levels &= levels - 1u;
        let placed = plan.dims[level];
        let dims = placed.xyz;
        let own = level == home;
        let here = low >> vec3(level - home);
        let to = high >> vec3(level - home);
        let lowest = max(here, REACH) - REACH;
        let first_at = wrapped(lowest, dims);
        let here_at = wrapped(here, dims);
        var z = select(lowest.z, here.z, own);
        var z_at = select(first_at.z, here_at.z, own);
        for (; z <= to.z; z++) {
            let own_layer = own && z == here.z;
            var y = select(lowest.y, here.y, own_layer);
            var y_at = select(first_at.y, here_at.y, own_layer);
            for (; y <= to.y; y++) {
                let own_row = own_layer && y == here.y;
                let x_at = select(first_at.x, here_at.x, own_row);
                let length = to.x - select(lowest.x, here.x, own_row) + 1u;
                let row = placed.w + (z_at * dims.y + y_at) * dims.x;
                let begin = table[row + x_at];
                let end = table[row + min(x_at + length, dims.x)];
                visit(me, first, second, select(begin, me + 1u, own_row), end);
                if (x_at + length > dims.x) {
                    visit(me, first, second, table[row], table[row + x_at + length - dims.x]);
                }
                y_at = select(y_at + 1u, 0u, y_at + 1u == dims.y);
            }
            z_at = select(z_at + 1u, 0u, z_at + 1u == dims.z);
        }
    }
}

@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    if (thread == 0u) {
        atomicStore(&staged_count, 0u);
    }
    workgroupBarrier();
    let me = (group.x + group.y * groups.x) * THREADS + thread;
    if (me < table[plan.table]) {
        look(me);
    }
    flush(thread, THREADS);
}
