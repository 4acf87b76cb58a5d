// Marks the elements of one sorted list that are not in another.

struct Lists {
    count: u32,
    others: u32,
}

@group(0) @binding(0) var<uniform> lists: Lists;
@group(0) @binding(1) var<storage, read> list: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> other: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> marks: array<u32>;

fn is_before(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let at = (group.x + group.y * groups.x) * 256u + thread;
    if (at > lists.count) {
        return;
    }
    // One more than there are elements: after the scan it holds the number of marks.
    var mark = 0u;
    if (at < lists.count) {
        let wanted = list[at];
        var low = 0u;
        var high = lists.others;
        while (low < high) {
            let middle = low + (high - low) / 2u;
            if (is_before(other[middle], wanted)) {
                low = middle + 1u;
            } else {
                high = middle;
            }
        }
        mark = 1u;
        if (low < lists.others && all(other[low] == wanted)) {
            mark = 0u;
        }
    }
    marks[at] = mark;
}
