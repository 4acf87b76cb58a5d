//! `apply_commands`: what was commanded since the step before, in canonical order.

use std::sync::Arc;

use super::World;
use super::check::mass_of;
use super::store::{Motion, Properties, Rest, Store};
use crate::stages::update_bounds::swept_box;
use crate::{BodyId, Command};

impl World {
    /// Applies the commands. Bodies that rested on one that left wake with it gone.
    pub(crate) fn apply_commands(&mut self, dt: f32) {
        self.store.pushes.clear();
        if self.rules_changed {
            self.wake_all();
        }
        if self.commands.is_empty() {
            return;
        }
        let commands = self.commands.sorted();
        self.commands.clear();
        self.scratch.changed_bodies = true;
        for (id, command) in commands {
            self.apply(id, command, dt);
            self.contain(id);
        }
    }

    /// Freezes a body that commands have made something that is no number, before others meet it.
    fn contain(&mut self, id: BodyId) {
        let Some(slot) = self.store.slot_of(id.0) else { return };
        let (motion, properties) = (&self.store.motions[slot], &self.store.properties[slot]);
        let push = self.store.push(slot);
        let spin = properties.world_inverse_inertia(motion.rotation) * push.torque;
        if motion.velocity.is_finite()
            && (push.force * properties.inverse_mass).is_finite()
            && spin.is_finite()
        {
            return;
        }
        self.store.freeze(slot);
        self.scratch.frozen.push(id.0);
        self.scratch.changed_sleep = true;
    }

    fn apply(&mut self, id: BodyId, command: Command, dt: f32) {
        if let Command::Add(body) = command {
            let mass = mass_of(&body);
            let properties = Properties::new(&body, &mass);
            let velocity = properties.unlocked(body.velocity);
            let motion = Motion::new(&body.pose, velocity, properties.local_center);
            let aabb = Store::tight_box(&body, &body.pose);
            let slot = self
                .store
                .insert(id.0, body, properties, motion, Rest::default(), aabb)
                .expect("numbers and ids were checked at the door");
            // One that does not move of itself would not be looked at beside sleepers.
            if !self.store.is_active(slot) {
                self.scratch.stirred.push(slot as u32);
            }
            return;
        }
        let slot = self.store.slot_of(id.0).expect("ids were checked at the door");
        let settings = self.settings;
        let store = &mut self.store;
        let properties = store.properties[slot];
        match command {
            Command::Add(_) => unreachable!("handled above"),
            Command::Remove => {
                // What it touched is woken by `find_contacts`, when all commands are done.
                store.remove(id.0).expect("ids were checked at the door");
                self.scratch.leaving.push(id.0);
                return;
            }
            Command::Teleport(pose) => {
                let motion = &mut store.motions[slot];
                *motion = Motion::new(&pose, motion.velocity, properties.local_center);
                let aabb = swept_box(store, slot, &settings, dt);
                store.boxes.set(id.0, aabb).expect("a finite pose has a box");
                self.scratch.stirred.push(slot as u32);
            }
            Command::SetVelocity(velocity) => {
                let was_active = store.is_active(slot);
                store.motions[slot].velocity = properties.unlocked(velocity);
                // A driven body that starts or stops: its contacts with those at rest go to the other list.
                self.scratch.changed_sleep |= store.is_active(slot) != was_active;
            }
            Command::Impulse { impulse, point } => {
                let motion = &mut store.motions[slot];
                motion.velocity.linear += impulse * properties.inverse_mass * properties.free_motion;
                let arm = point.map_or(glam::Vec3::ZERO, |point| point - motion.center);
                let inverse = properties.world_inverse_inertia(motion.rotation);
                motion.velocity.angular += inverse * arm.cross(impulse);
            }
            Command::AngularImpulse(impulse) => {
                let motion = &mut store.motions[slot];
                motion.velocity.angular += properties.world_inverse_inertia(motion.rotation) * impulse;
            }
            Command::Force { force, point } => {
                let arm = point.map_or(glam::Vec3::ZERO, |point| point - store.motions[slot].center);
                let push = store.push_mut(slot);
                push.force += force;
                push.torque += arm.cross(force);
            }
            Command::Torque(torque) => store.push_mut(slot).torque += torque,
            Command::Wake => {}
            Command::Sleep => {
                store.rests[slot].asleep = true;
                store.motions[slot].velocity = crate::Velocity::ZERO;
                self.scratch.changed_sleep = true;
                return;
            }
            Command::SetUserData(data) => {
                Arc::make_mut(&mut store.descriptions[slot]).user_data = data;
                return;
            }
        }
        self.wake_slot(slot);
    }
}
