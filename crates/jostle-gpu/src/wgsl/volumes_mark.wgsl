// Marks the pairs whose volumes overlap: a thread per pair. What the device cannot decide for certain is marked too, and
// listed with both volumes, so that the host can decide it. `decide` comes with the kind of volume.

struct Params {
    pairs: u32,
    volumes: u32,
    // How many pairs there is room for: the marks are one more.
    most: u32,
    unsure_capacity: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> pairs: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> volumes: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> marks: array<u32>;
@group(0) @binding(4) var<storage, read_write> unsure: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> status: array<atomic<u32>>;

const APART = 0u;
const MEET = 1u;
const UNSURE = 2u;
// Numbers larger than 2^60 are left to the host: their squares and sums could be infinite.
const LARGE = 0x5d800000u;
// The words of the status; the last is written after the scan.
const STATUS_UNSURE = 0u;
const STATUS_STRANGERS = 1u;
const STATUS_PAIRS = 2u;

fn test(at: u32, pair: vec2<u32>) -> u32 {
    let first = pair.x * QUADS;
    let second = pair.y * QUADS;
    // Where there is no volume, there is nothing to drop a pair by.
    if (is_nan(volumes[first].x) || is_nan(volumes[second].x)) {
        return MEET;
    }
    let verdict = decide(first, second);
    if (verdict != UNSURE) {
        return verdict;
    }
    let record = atomicAdd(&status[STATUS_UNSURE], 1u);
    if (record < params.unsure_capacity) {
        let begin = record * (1u + 2u * QUADS);
        unsure[begin] = vec4(at, pair, 0u);
        for (var quad = 0u; quad < QUADS; quad++) {
            unsure[begin + 1u + quad] = volumes[first + quad];
            unsure[begin + 1u + QUADS + quad] = volumes[second + quad];
        }
    }
    return MEET;
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let at = (group.x + group.y * groups.x) * 256u + thread;
    if (at > params.most) {
        return;
    }
    if (at == 0u) {
        atomicStore(&status[STATUS_PAIRS], params.pairs);
    }
    // What lies behind the pairs is not marked, so that the last sum of the scan is the number of marks.
    var mark = 0u;
    if (at < min(params.pairs, params.most)) {
        let pair = pairs[at];
        if (max(pair.x, pair.y) < params.volumes) {
            mark = test(at, pair);
        } else {
            atomicAdd(&status[STATUS_STRANGERS], 1u);
        }
    }
    marks[at] = mark;
}
