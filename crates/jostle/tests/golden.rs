//! One hash per scene: a change of these is a change of what users get, and needs a reason.
//!
//! Minted anew: a body that trembles loses a little of its rest instead of all of it; boxes and predictions reckon with each
//! body's own gravity and forces, bounces with a contact's own restitution; contacts
//! are the harder the deeper they are. To mint: run with `JOSTLE_MINT=1`, copy what is printed, and write the reason here.

#![cfg(target_arch = "x86_64")]

use jostle::{Execution, scenes};

const BODIES: usize = 150;
const FRAMES: usize = 90;

const GOLDEN: &[(&str, u64)] = &[
    ("rain", 0x1bfb_7a8e_54ea_3cc0),
    ("pit", 0x2f62_09ec_178f_c8ea),
    ("pyramid", 0x0710_0830_bdcf_23b3),
    ("wall", 0x32fe_ad4a_d9ee_c252),
    ("gas", 0x0f1c_acd0_6df7_4e6a),
    ("drum", 0x40f7_78dc_4599_fe9b),
    ("layer", 0x5892_5b6d_aa0a_58f9),
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
