// Dumped with -Cinstrument-coverage by `regen.sh`.
pub fn branch(x: u32) -> u32 {
    if x > 3 { x - 3 } else { 0 }
}
