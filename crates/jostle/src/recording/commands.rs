//! Commands as bytes.

use std::collections::HashMap;

use crate::state::bytes::{Broken, Reader, Write};
use crate::state::description::Description;
use crate::{Body, BodyId, Command, Shape, ShapeHash};

/// The fewest bytes of a command: an id and a kind.
pub(super) const LEAST_BYTES: usize = 5;

pub(super) fn write(id: BodyId, command: &Command, out: &mut Vec<u8>) {
    out.u32(id.0);
    out.u8(command.rank());
    match command {
        Command::Remove | Command::Wake | Command::Sleep => {}
        Command::Add(body) => {
            Description::of(body).write(out);
            out.pose(&body.pose);
            out.velocity(&body.velocity);
            out.u64(body.user_data);
        }
        Command::Teleport(pose) => out.pose(pose),
        Command::SetVelocity(velocity) => out.velocity(velocity),
        Command::Impulse { impulse: push, point } | Command::Force { force: push, point } => {
            out.vector(*push);
            out.u8(u8::from(point.is_some()));
            if let Some(point) = point {
                out.vector(*point);
            }
        }
        Command::AngularImpulse(vector) | Command::Torque(vector) => out.vector(*vector),
        Command::SetUserData(data) => out.u64(*data),
    }
}

pub(super) fn read(
    from: &mut Reader<'_>,
    shapes: &HashMap<ShapeHash, Shape>,
) -> Result<(BodyId, Command), Broken> {
    let id = BodyId(from.u32()?);
    let command = match from.u8()? {
        0 => Command::Remove,
        1 => Command::Add(read_body(from, shapes)?.into()),
        2 => Command::Teleport(from.pose()?),
        3 => Command::SetVelocity(from.velocity()?),
        4 => {
            let impulse = from.vector()?;
            Command::Impulse { impulse, point: from.flag()?.then(|| from.vector()).transpose()? }
        }
        5 => Command::AngularImpulse(from.vector()?),
        6 => {
            let force = from.vector()?;
            Command::Force { force, point: from.flag()?.then(|| from.vector()).transpose()? }
        }
        7 => Command::Torque(from.vector()?),
        8 => Command::Wake,
        9 => Command::Sleep,
        10 => Command::SetUserData(from.u64()?),
        _ => return Err(Broken("a command is of no kind there is")),
    };
    Ok((id, command))
}

fn read_body(from: &mut Reader<'_>, shapes: &HashMap<ShapeHash, Shape>) -> Result<Body, Broken> {
    let description = Description::read(from)?;
    let body = description.body(|hash| shapes.get(&hash).cloned());
    let body = body.map_err(|_| Broken("a body has a shape that was not written"))?;
    Ok(Body { pose: from.pose()?, velocity: from.velocity()?, user_data: from.u64()?, ..body })
}
