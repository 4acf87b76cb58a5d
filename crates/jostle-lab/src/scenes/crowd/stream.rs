//! A crowd in motion, frame after frame.

use jostle_broad::Aabb;
use jostle_broad::glam::Vec3;

use super::start::Start;
use super::{Crowd, Motion};
use crate::scenes::draw::Draws;
use crate::scenes::paths::ABSENT;

/// The boxes of a crowd, at one frame.
#[derive(Clone, Debug)]
pub(crate) struct CrowdStream {
    crowd: Crowd,
    draws: Draws,
    world: Aabb,
    free: Vec3,
    frame: u64,
    /// Where boxes are; of swaying ones, around where.
    centers: Vec<Vec3>,
    halves: Vec<Vec3>,
    /// By how much they move in a frame, or sway; zero for boxes that never move.
    velocities: Vec<Vec3>,
    boxes: Vec<Aabb>,
}

impl CrowdStream {
    pub(crate) fn new(crowd: &Crowd) -> Self {
        let mut draws = Draws::new(crowd.seed);
        let Start { world, free, centers, halves } = Start::new(crowd, &mut draws);
        let moves = |draws: &mut Draws| crowd.motion != Motion::Still && draws.unit() < crowd.moving;
        let start =
            |half| if moves(&mut draws) { velocity(crowd, half, free, &mut draws) } else { Vec3::ZERO };
        let velocities = halves.iter().map(start).collect();
        let boxes = vec![ABSENT; centers.len()];
        let crowd = crowd.clone();
        let mut stream = Self { crowd, draws, world, free, frame: 0, centers, halves, velocities, boxes };
        for index in 0..stream.boxes.len() {
            stream.boxes[index] = stream.box_now(index);
        }
        if stream.crowd.flicker > 0.0 {
            // As many are there as are not, from the first frame on.
            for index in 0..stream.boxes.len() {
                if stream.draws.unit() < 0.5 {
                    stream.boxes[index] = ABSENT;
                }
            }
        }
        stream
    }

    /// This frame's boxes in id order.
    pub(crate) fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    /// Goes on to the next frame, and tells what changed: id, box before, box now.
    pub(crate) fn advance(&mut self, mut note: impl FnMut(u32, &Aabb, &Aabb)) {
        self.frame += 1;
        for index in 0..self.boxes.len() {
            let comes_or_goes = self.crowd.flicker > 0.0 && self.draws.unit() < self.crowd.flicker;
            let leader = self.leader(index);
            let moves = self.velocities[leader] != Vec3::ZERO;
            if moves && leader == index {
                self.walk(index);
            }
            let there = (self.boxes[index] != ABSENT) != comes_or_goes;
            if !(moves || comes_or_goes) {
                continue;
            }
            let now = if there { self.box_now(index) } else { ABSENT };
            let before = std::mem::replace(&mut self.boxes[index], now);
            if before != now {
                note(index as u32, &before, &now);
            }
        }
    }

    /// The first of those that have the same box: the only one of them that walks.
    fn leader(&self, index: usize) -> usize {
        index - index % self.crowd.coincident
    }

    fn box_now(&self, index: usize) -> Aabb {
        let index = self.leader(index);
        let mut center = self.centers[index];
        if self.crowd.motion == Motion::Sway && self.velocities[index] != Vec3::ZERO {
            // Golden steps: no two neighbours sway alike.
            let phase =
                index as f64 * 0.618_033_988_749_895 + self.frame as f64 / f64::from(self.crowd.period);
            let turn = libm::sin((phase - phase.floor()) * std::f64::consts::TAU);
            center += self.velocities[index] * turn as f32;
        }
        Aabb::from_center(center, self.halves[index])
    }

    fn walk(&mut self, index: usize) {
        let half = self.halves[index];
        match self.crowd.motion {
            Motion::Still | Motion::Sway => return,
            Motion::Jump => self.velocities[index] = velocity(&self.crowd, &half, self.free, &mut self.draws),
            Motion::Wander => {
                let period = u64::from(self.crowd.period);
                if (self.frame + index as u64).is_multiple_of(period) {
                    self.velocities[index] = velocity(&self.crowd, &half, self.free, &mut self.draws);
                }
            }
            Motion::Bounce => {}
        }
        let (center, velocity) = (&mut self.centers[index], &mut self.velocities[index]);
        *center += *velocity;
        for axis in 0..3 {
            let (low, high) = (self.world.min[axis], self.world.max[axis]);
            if self.free[axis] > 0.0 && !(low..=high).contains(&center[axis]) {
                let wall = if center[axis] < low { low } else { high };
                center[axis] = (2.0 * wall - center[axis]).clamp(low, high);
                velocity[axis] = -velocity[axis];
            }
        }
    }
}

/// A velocity along the free axes, about as large as asked for; never zero unless none is asked for.
fn velocity(crowd: &Crowd, half: &Vec3, free: Vec3, draws: &mut Draws) -> Vec3 {
    let speed = crowd.speed * draws.between(0.5, 1.5) * 2.0 * f64::from(half.min_element());
    // Swaying leaves the line or the layer that boxes begin in.
    let free = if crowd.motion == Motion::Sway { Vec3::ONE } else { free };
    loop {
        let direction = draws.direction() * free;
        if let Some(direction) = direction.try_normalize() {
            return direction * speed as f32;
        }
    }
}
