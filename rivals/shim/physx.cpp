// What the C interface of physx-sys lacks: an update on several threads, which needs a task to follow it.

#include <PxBroadPhase.h>
#include <task/PxTask.h>

#include <condition_variable>
#include <mutex>

using namespace physx;

namespace {

// Runs when the broad phase is done with all of its tasks.
class Done : public PxLightCpuTask {
public:
    void run() override {}
    const char* getName() const override { return "done"; }

    void release() override {
        std::lock_guard<std::mutex> lock(mutex);
        done = true;
        condition.notify_one();
    }

    void wait() {
        std::unique_lock<std::mutex> lock(mutex);
        condition.wait(lock, [this] { return done; });
    }

private:
    std::mutex mutex;
    std::condition_variable condition;
    bool done = false;
};

}  // namespace

extern "C" void rivals_physx_update(PxAABBManager* manager, PxTaskManager* tasks) {
    Done done;
    done.setContinuation(*tasks, nullptr);
    manager->update(&done);
    done.removeReference();
    done.wait();
}
