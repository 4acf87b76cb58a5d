// Appends pairs to the list, a workgroup's worth at a time. More pairs than there is room for are counted only.

// Few, so that many workgroups have room on a processor at once: 1,024 cost a quarter of the speed.
const STAGED = 512u;

var<workgroup> staged_count: atomic<u32>;
var<workgroup> staged: array<vec2<u32>, 512>;
var<workgroup> flush_at: u32;

// Takes room for so many pairs in the list.
fn take_room(count: u32) -> u32 {
    let at = atomicAdd(&status[STATUS_PAIRS], count);
    if (at + count < at) {
        atomicAdd(&status[STATUS_PAIRS_HIGH], 1u);
    }
    return at;
}

fn emit(a: u32, b: u32) {
    let pair = vec2(min(a, b), max(a, b));
    let at = atomicAdd(&staged_count, 1u);
    if (at < STAGED) {
        staged[at] = pair;
    } else {
        let there = take_room(1u);
        if (there < params.pair_capacity) {
            pairs[there] = pair;
        }
    }
}

// Writes what is staged. Every thread of the workgroup must call it.
fn flush(thread: u32, threads: u32) {
    workgroupBarrier();
    let count = min(atomicLoad(&staged_count), STAGED);
    if (thread == 0u && count > 0u) {
        flush_at = take_room(count);
    }
    workgroupBarrier();
    let first = flush_at;
    for (var i = thread; i < count; i += threads) {
        if (first + i < params.pair_capacity) {
            pairs[first + i] = staged[i];
        }
    }
    workgroupBarrier();
    if (thread == 0u) {
        atomicStore(&staged_count, 0u);
    }
    workgroupBarrier();
}
