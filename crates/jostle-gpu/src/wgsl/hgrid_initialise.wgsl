// First stage: every box is entered in all cells it overlaps, on all levels it fits. A thread per box.

@group(0) @binding(0) var<uniform> params: HgridParams;
@group(0) @binding(1) var<storage, read> boxes: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> plan: Plan;
@group(0) @binding(3) var<storage, read_write> entries: array<vec2<u32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let box = (group.x + group.y * groups.x) * 256u + thread;
    if (box >= params.boxes) {
        return;
    }
    let end = (box + 1u) * params.levels * 8u;
    var next = box * params.levels * 8u;
    let a = boxes[box * 3u];
    let b = boxes[box * 3u + 1u];
    let c = boxes[box * 3u + 2u];
    if (!is_nan(a.x)) {
        let low = cell(vec3(ordered(a.x), ordered(a.y), ordered(b.x)));
        let high = cell(vec3(ordered(b.y), ordered(c.x), ordered(c.y)));
        for (var level = 0u; level < params.levels; level++) {
            let first = low >> vec3(level);
            let last = high >> vec3(level);
            if (any(last - first > vec3(1u))) {
                continue;
            }
            let dims = plan.dims[level];
            for (var z = first.z; z <= last.z; z++) {
                for (var y = first.y; y <= last.y; y++) {
                    for (var x = first.x; x <= last.x; x++) {
                        entries[next] = vec2(level << CELL_BITS | ((z * dims.y + y) * dims.x + x), box);
                        next++;
                    }
                }
            }
        }
    }
    for (; next < end; next++) {
        entries[next] = vec2(UNUSED, 0u);
    }
}
