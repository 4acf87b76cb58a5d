// Bullet's broad phases for the adapter in src/adapters/bullet.rs: a plain C face, no more.

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace {

struct Box {
    float min[3], max[3];
};

btVector3 vector(const float* v) { return btVector3(v[0], v[1], v[2]); }

// The pools of the narrow phase would count as memory of the broad phase.
btDefaultCollisionConstructionInfo small_pools() {
    btDefaultCollisionConstructionInfo info;
    info.m_defaultMaxPersistentManifoldPoolSize = 1;
    info.m_defaultMaxCollisionAlgorithmPoolSize = 1;
    return info;
}

struct Bullet {
    btDefaultCollisionConfiguration configuration{small_pools()};
    btCollisionDispatcher dispatcher{&configuration};
    std::unique_ptr<btBroadphaseInterface> broad_phase;
    std::vector<btBroadphaseProxy*> proxies;

    ~Bullet() {
        for (btBroadphaseProxy* proxy : proxies) broad_phase->destroyProxy(proxy, &dispatcher);
    }
};

}  // namespace

extern "C" {

// `world` is only read for the axis sweep, which counts its coordinates from it.
Bullet* rivals_bullet_new(bool axis_sweep, const Box* world, const Box* boxes, uint32_t count) {
    auto* bullet = new Bullet;
    if (axis_sweep) {
        // The accelerator for rays would be a second broad phase beside the first.
        bullet->broad_phase =
            std::make_unique<bt32BitAxisSweep3>(vector(world->min), vector(world->max), count + 2, nullptr, true);
    } else {
        bullet->broad_phase = std::make_unique<btDbvtBroadphase>();
    }
    bullet->proxies.reserve(count);
    for (uint32_t id = 0; id < count; ++id) {
        void* user = reinterpret_cast<void*>(static_cast<uintptr_t>(id));
        bullet->proxies.push_back(bullet->broad_phase->createProxy(
            vector(boxes[id].min), vector(boxes[id].max), BOX_SHAPE_PROXYTYPE, user,
            btBroadphaseProxy::DefaultFilter, btBroadphaseProxy::AllFilter, &bullet->dispatcher));
    }
    bullet->broad_phase->calculateOverlappingPairs(&bullet->dispatcher);
    return bullet;
}

void rivals_bullet_delete(Bullet* bullet) { delete bullet; }

void rivals_bullet_update(Bullet* bullet, const Box* boxes, const uint32_t* moved, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const Box& box = boxes[moved[i]];
        bullet->broad_phase->setAabb(bullet->proxies[moved[i]], vector(box.min), vector(box.max), &bullet->dispatcher);
    }
    bullet->broad_phase->calculateOverlappingPairs(&bullet->dispatcher);
}

uint32_t rivals_bullet_pair_count(const Bullet* bullet) {
    return bullet->broad_phase->getOverlappingPairCache()->getNumOverlappingPairs();
}

void rivals_bullet_pairs(const Bullet* bullet, uint32_t* ids) {
    const btBroadphasePairArray& pairs = bullet->broad_phase->getOverlappingPairCache()->getOverlappingPairArray();
    for (int i = 0; i < pairs.size(); ++i) {
        ids[2 * i] = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pairs[i].m_pProxy0->m_clientObject));
        ids[2 * i + 1] = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(pairs[i].m_pProxy1->m_clientObject));
    }
}

}  // extern "C"
