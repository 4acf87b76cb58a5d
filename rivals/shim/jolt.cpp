// Jolt's broad phase for the adapter in src/adapters/jolt.rs: its body manager and its quad tree, through the calls of its physics
// step that have to do with boxes, in their order. Its C bindings offer whole steps only; its C++ headers are used.

#include <Jolt/Jolt.h>

#include <Jolt/Core/JobSystemThreadPool.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Body/BodyManager.h>
#include <Jolt/Physics/Body/BodyPair.h>
#include <Jolt/Physics/Collision/BroadPhase/BroadPhaseQuadTree.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/PhysicsSettings.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace {

struct Box {
    float min[3], max[3];
};

// Jolt computes the bounds of a body from its shape; here they are given. The member is private, and the standard lets an explicit
// instantiation name it all the same.
template <JPH::AABox JPH::Body::*Member>
struct Access {
    friend JPH::AABox& bounds(JPH::Body& body) { return body.*Member; }
};
JPH::AABox& bounds(JPH::Body& body);
template struct Access<&JPH::Body::mBounds>;

JPH::AABox box_of(const Box& box) {
    return JPH::AABox(JPH::Vec3(box.min[0], box.min[1], box.min[2]), JPH::Vec3(box.max[0], box.max[1], box.max[2]));
}

// All bodies collide with all.
struct OneLayer final : JPH::BroadPhaseLayerInterface {
    JPH::uint GetNumBroadPhaseLayers() const override { return 1; }
    JPH::BroadPhaseLayer GetBroadPhaseLayer(JPH::ObjectLayer) const override { return JPH::BroadPhaseLayer(0); }
#if defined(JPH_EXTERNAL_PROFILE) || defined(JPH_PROFILE_ENABLED)
    const char* GetBroadPhaseLayerName(JPH::BroadPhaseLayer) const override { return "all"; }
#endif
};

struct Pair {
    uint32_t a, b;
};

struct Collect final : JPH::BodyPairCollector {
    explicit Collect(std::vector<Pair>& pairs) : pairs(pairs) {}
    void AddHit(const JPH::BodyPair& pair) override {
        pairs.push_back({pair.mBodyA.GetIndex(), pair.mBodyB.GetIndex()});
    }
    std::vector<Pair>& pairs;
};

// As in the engine: PhysicsSystem::cActiveBodiesBatchSize. There a job tells the tree of the bodies of an island at once.
constexpr uint32_t ACTIVE_BATCH = 16;
constexpr uint32_t NOTIFY_BATCH = 64;

struct Jolt {
    OneLayer layers;
    JPH::BodyManager bodies;
    JPH::BroadPhaseQuadTree broad_phase;
    std::vector<JPH::BodyID> ids;
    std::unique_ptr<JPH::JobSystemThreadPool> jobs;
    // One list for each thread: what its queues of pairs are to the engine.
    std::vector<std::vector<Pair>> pairs;

    void find(std::atomic<uint32_t>& next, std::vector<Pair>& list) {
        // Written to by this thread alone, and in no line that another one writes to.
        std::vector<Pair> found = std::move(list);
        found.clear();
        const JPH::ObjectVsBroadPhaseLayerFilter every_layer;
        const JPH::ObjectLayerPairFilter every_pair;
        const JPH::BodyID* active = bodies.GetActiveBodiesUnsafe(JPH::EBodyType::RigidBody);
        const uint32_t count = bodies.GetNumActiveBodies(JPH::EBodyType::RigidBody);
        Collect collect(found);
        for (uint32_t start; (start = next.fetch_add(ACTIVE_BATCH)) < count;) {
            const uint32_t length = std::min(ACTIVE_BATCH, count - start);
            JPH::BodyID batch[ACTIVE_BATCH];
            std::copy_n(active + start, length, batch);
            broad_phase.FindCollidingPairs(batch, int(length), JPH::PhysicsSettings().mSpeculativeContactDistance,
                                           every_layer, every_pair, collect);
        }
        list = std::move(found);
    }

    // The new bounds of bodies that moved.
    void notify(std::atomic<uint32_t>& next, const Box* boxes, const uint32_t* moved, uint32_t count) {
        for (uint32_t start; (start = next.fetch_add(NOTIFY_BATCH)) < count;) {
            const uint32_t length = std::min(NOTIFY_BATCH, count - start);
            JPH::BodyID batch[NOTIFY_BATCH];
            for (uint32_t i = 0; i < length; ++i) {
                const uint32_t id = moved[start + i];
                batch[i] = ids[id];
                bounds(bodies.GetBody(ids[id])) = box_of(boxes[id]);
            }
            broad_phase.NotifyBodiesAABBChanged(batch, int(length), false);
        }
    }

    // Work for all threads, with something else beside it.
    template <typename Work, typename Beside>
    void run(Work&& work, Beside&& beside) {
        if (!jobs) {
            beside();
            work(pairs[0]);
            return;
        }
        JPH::JobSystem::Barrier* barrier = jobs->CreateBarrier();
        barrier->AddJob(jobs->CreateJob("beside", JPH::Color::sWhite, [&] { beside(); }));
        for (std::vector<Pair>& list : pairs) {
            barrier->AddJob(jobs->CreateJob("work", JPH::Color::sWhite, [&] { work(list); }));
        }
        jobs->WaitForJobs(barrier);
        jobs->DestroyBarrier(barrier);
    }

    void step(const Box* boxes, const uint32_t* moved, uint32_t count) {
        broad_phase.FrameSync();
        broad_phase.LockModifications();
        // The end of a step: bodies have moved. Jobs tell the tree, each of some of them.
        std::atomic<uint32_t> next{0};
        run([&](std::vector<Pair>&) { notify(next, boxes, moved, count); }, [] {});
        // The beginning of the next: the tree is built anew where it changed, while the old one, widened, is asked for pairs.
        next = 0;
        JPH::BroadPhase::UpdateState update;
        run([&](std::vector<Pair>& list) { find(next, list); }, [&] { update = broad_phase.UpdatePrepare(); });
        broad_phase.UpdateFinalize(update);
        broad_phase.UnlockModifications();
    }
};

}  // namespace

extern "C" {

Jolt* rivals_jolt_new(const Box* boxes, uint32_t count, uint32_t threads) {
    static std::once_flag once;
    std::call_once(once, JPH::RegisterDefaultAllocator);
    auto* jolt = new Jolt;
    jolt->bodies.Init(count + 1, 0, jolt->layers);
    jolt->broad_phase.Init(&jolt->bodies, jolt->layers);
    jolt->pairs.resize(threads);
    // The thread that waits for jobs works on them, too.
    if (threads > 1) jolt->jobs = std::make_unique<JPH::JobSystemThreadPool>(64, 4, int(threads) - 1);
    const JPH::Ref<JPH::Shape> shape = new JPH::SphereShape(0.5f);
    for (uint32_t id = 0; id < count; ++id) {
        const JPH::BodyCreationSettings settings(shape, box_of(boxes[id]).GetCenter(), JPH::Quat::sIdentity(),
                                                 JPH::EMotionType::Dynamic, 0);
        JPH::Body* body = jolt->bodies.AllocateBody(settings);
        jolt->bodies.AddBody(body);
        bounds(*body) = box_of(boxes[id]);
        jolt->ids.push_back(body->GetID());
    }
    if (count > 0) {
        std::vector<JPH::BodyID> all = jolt->ids;
        JPH::BroadPhase::AddState state = jolt->broad_phase.AddBodiesPrepare(all.data(), int(count));
        jolt->broad_phase.AddBodiesFinalize(all.data(), int(count), state);
        jolt->bodies.ActivateBodies(jolt->ids.data(), int(count));
        jolt->broad_phase.Optimize();
    }
    jolt->step(boxes, nullptr, 0);
    return jolt;
}

void rivals_jolt_delete(Jolt* jolt) {
    if (!jolt->ids.empty()) {
        std::vector<JPH::BodyID> all = jolt->ids;
        jolt->broad_phase.RemoveBodies(all.data(), int(all.size()));
        jolt->bodies.DeactivateBodies(jolt->ids.data(), int(jolt->ids.size()));
        jolt->bodies.DestroyBodies(jolt->ids.data(), int(jolt->ids.size()));
    }
    delete jolt;
}

void rivals_jolt_update(Jolt* jolt, const Box* boxes, const uint32_t* moved, uint32_t count) {
    jolt->step(boxes, moved, count);
}

uint32_t rivals_jolt_pair_count(const Jolt* jolt) {
    size_t count = 0;
    for (const std::vector<Pair>& list : jolt->pairs) count += list.size();
    return uint32_t(count);
}

void rivals_jolt_pairs(const Jolt* jolt, uint32_t* ids) {
    for (const std::vector<Pair>& list : jolt->pairs) {
        for (const Pair& pair : list) {
            *ids++ = pair.a;
            *ids++ = pair.b;
        }
    }
}
}
