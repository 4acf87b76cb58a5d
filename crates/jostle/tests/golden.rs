//! One hash per scene: a change of these is a change of what users get, and needs a reason.
//!
//! Minted anew: a body that trembles loses a little of its rest instead of all of it; boxes and predictions reckon with each
//! body's own gravity and forces, bounces with a contact's own restitution; contacts are the harder the deeper they are;
//! surfaces that pressed at any time of a frame met in it. To mint: run with `JOSTLE_MINT=1`, copy what is printed, and
//! write the reason here.

#![cfg(target_arch = "x86_64")]

use jostle::{Execution, scenes};

const BODIES: usize = 150;
const FRAMES: usize = 90;

const GOLDEN: &[(&str, u64)] = &[
    ("rain", 0x4e18_d36d_2e51_fb09),
    ("pit", 0xaa5e_a237_54f3_76b5),
    ("pyramid", 0x0710_0830_bdcf_23b3),
    ("wall", 0x3244_bc40_6e93_7cbf),
    ("gas", 0x0f1c_acd0_6df7_4e6a),
    ("drum", 0x81df_5110_98e5_0ca2),
    ("layer", 0x8703_1e16_22fc_8641),
    ("giant", 0xe7a6_67dc_2f96_b138),
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
