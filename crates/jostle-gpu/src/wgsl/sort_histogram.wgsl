// First pass of a radix sort's digit: how often each digit occurs in each block of 2,048 elements.

struct Digit {
    count: u32,
    blocks: u32,
    // Which half of the element is the key, and how far its digit is to be shifted.
    half: u32,
    shift: u32,
}

@group(0) @binding(0) var<uniform> digit: Digit;
@group(0) @binding(1) var<storage, read> elements: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read_write> histogram: array<u32>;

var<workgroup> counts: array<atomic<u32>, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let block = group.x + group.y * groups.x;
    atomicStore(&counts[thread], 0u);
    workgroupBarrier();
    for (var i = 0u; i < 8u; i++) {
        let at = block * 2048u + i * 256u + thread;
        if (at < digit.count) {
            atomicAdd(&counts[(elements[at][digit.half] >> digit.shift) & 255u], 1u);
        }
    }
    workgroupBarrier();
    if (block < digit.blocks) {
        histogram[thread * digit.blocks + block] = atomicLoad(&counts[thread]);
    }
}
