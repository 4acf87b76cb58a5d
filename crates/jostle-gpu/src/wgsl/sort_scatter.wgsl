// Last pass of a radix sort's digit: sorts each block of 2,048 elements by the digit, two bits at a time in shared memory,
// and writes it where the scanned histogram says. Stable.

struct Digit {
    count: u32,
    blocks: u32,
    // Which half of the element is the key, and how far its digit is to be shifted.
    half: u32,
    shift: u32,
}

@group(0) @binding(0) var<uniform> digit: Digit;
@group(0) @binding(1) var<storage, read> elements: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> histogram: array<u32>;
@group(0) @binding(3) var<storage, read_write> sorted: array<vec2<u32>>;

var<workgroup> exchange: array<u32, 2048>;
// Where in the block each digit begins.
var<workgroup> starts: array<u32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, lane: Lane) {
    let thread = scan_lane(lane);
    let block = group.x + group.y * groups.x;
    if (block >= digit.blocks) {
        return;
    }
    // Each thread has eight neighbours. What lies behind the last element has the largest key and stays behind.
    var keys: array<u32, 8>;
    var others: array<u32, 8>;
    for (var i = 0u; i < 8u; i++) {
        let at = block * 2048u + thread * 8u + i;
        keys[i] = 0xffffffffu;
        if (at < digit.count) {
            let element = elements[at];
            keys[i] = element[digit.half];
            others[i] = element[1u - digit.half];
        }
    }
    for (var bits = digit.shift; bits < digit.shift + 8u; bits += 2u) {
        // Two counts of 16 bits in each word: digits 0 and 1, digits 2 and 3.
        var low = 0u;
        var high = 0u;
        for (var i = 0u; i < 8u; i++) {
            let value = (keys[i] >> bits) & 3u;
            low += select(0u, 1u << (value * 16u), value < 2u);
            high += select(0u, 1u << ((value & 1u) * 16u), value >= 2u);
        }
        let below = workgroup_scan(low, lane);
        let above = workgroup_scan(high, lane);
        let ones = below.total & 0xffffu;
        let twos = ones + (below.total >> 16u);
        let threes = twos + (above.total & 0xffffu);
        var next = vec4(
            below.before & 0xffffu,
            ones + (below.before >> 16u),
            twos + (above.before & 0xffffu),
            threes + (above.before >> 16u),
        );
        var places: array<u32, 8>;
        for (var i = 0u; i < 8u; i++) {
            let value = (keys[i] >> bits) & 3u;
            places[i] = select(select(next.x, next.y, value == 1u), select(next.z, next.w, value == 3u), value >= 2u);
            next += vec4<u32>(vec4(value) == vec4(0u, 1u, 2u, 3u));
            exchange[places[i]] = keys[i];
        }
        workgroupBarrier();
        for (var i = 0u; i < 8u; i++) {
            keys[i] = exchange[thread * 8u + i];
        }
        workgroupBarrier();
        for (var i = 0u; i < 8u; i++) {
            exchange[places[i]] = others[i];
        }
        workgroupBarrier();
        for (var i = 0u; i < 8u; i++) {
            others[i] = exchange[thread * 8u + i];
        }
        workgroupBarrier();
    }
    // From here on, neighbouring threads have neighbouring elements, so that they write side by side.
    for (var i = 0u; i < 8u; i++) {
        exchange[thread * 8u + i] = keys[i];
    }
    workgroupBarrier();
    for (var i = 0u; i < 8u; i++) {
        let at = i * 256u + thread;
        keys[i] = exchange[at];
        let value = (keys[i] >> digit.shift) & 255u;
        if (at == 0u || ((exchange[at - 1u] >> digit.shift) & 255u) != value) {
            starts[value] = at;
        }
    }
    workgroupBarrier();
    for (var i = 0u; i < 8u; i++) {
        exchange[thread * 8u + i] = others[i];
    }
    workgroupBarrier();
    // The last elements of the last block are none.
    let there = min(digit.count - block * 2048u, 2048u);
    for (var i = 0u; i < 8u; i++) {
        let at = i * 256u + thread;
        if (at < there) {
            let value = (keys[i] >> digit.shift) & 255u;
            let place = histogram[value * digit.blocks + block] + at - starts[value];
            let other = exchange[at];
            sorted[place] = select(vec2(other, keys[i]), vec2(keys[i], other), digit.half == 0u);
        }
    }
}
