//! One hash per scene: a change of these is a change of what users get, and needs a reason.
//!
//! Minted anew: a body that trembles loses a little of its rest instead of all of it; boxes and predictions reckon with each
//! body's own gravity and forces, bounces with a contact's own restitution. To mint: run with `JOSTLE_MINT=1`,
//! copy what is printed, and write the reason here.

#![cfg(target_arch = "x86_64")]

use jostle::{Execution, scenes};

const BODIES: usize = 150;
const FRAMES: usize = 90;

const GOLDEN: &[(&str, u64)] = &[
    ("rain", 0xb6ca_3a6d_a0a5_3082),
    ("pit", 0xa751_dc4c_0908_d99a),
    ("pyramid", 0xb050_599e_e50c_73a1),
    ("wall", 0x88b9_46f2_26f5_c32c),
    ("gas", 0xa53f_4d6b_3759_2c95),
    ("drum", 0x6d22_9a83_9195_fe73),
    ("layer", 0x0412_dfa2_dee6_635f),
    ("giant", 0x2da0_9b04_b8fd_d546),
];

#[test]
fn every_scene_ends_in_its_golden_hash() {
    let mut minted = String::new();
    let mut wrong = vec![];
    for entry in scenes::all() {
        let scene = (entry.make)(BODIES, 1);
        let mut world = scene.build(&Execution::default()).unwrap();
        for _ in 0..FRAMES {
            scene.step(&mut world).unwrap();
        }
        let hash = world.state_hash().0;
        minted += &format!("    (\"{}\", 0x{hash:016x}),\n", entry.name);
        let golden = GOLDEN.iter().find(|(name, _)| *name == entry.name);
        if golden.map(|(_, hash)| *hash) != Some(hash) {
            wrong.push(entry.name);
        }
    }
    if std::env::var_os("JOSTLE_MINT").is_some() {
        println!("{minted}");
        return;
    }
    assert!(wrong.is_empty(), "{wrong:?} changed; if that is meant, mint (see above):\n{minted}");
    assert_eq!(GOLDEN.len(), scenes::all().len());
}
