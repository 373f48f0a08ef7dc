// The sound of a win: a rising chord, longer for a higher level. Off unless the configuration says so.

import { rank } from "./wins.js";

const NOTES_HZ = [523.25, 659.25, 783.99, 1046.5, 1318.51, 1567.98];
const NOTE_S = 0.16;
const RING_S = 1.1;
const LOUD = 0.22;

// A player must allow sound without a touch; where it does not, the sign stays silent.
export function chime(isOn) {
  const sound = isOn ? new AudioContext() : null;
  return (level) => {
    if (sound?.state !== "running") return;
    const notes = [...NOTES_HZ.slice(0, 4), ...(rank(level) ? NOTES_HZ : []), ...(rank(level) > 1 ? NOTES_HZ : [])];
    notes.forEach((hertz, place) => {
      const [note, volume] = [sound.createOscillator(), sound.createGain()];
      const at = sound.currentTime + place * NOTE_S;
      note.type = "triangle";
      note.frequency.value = hertz;
      volume.gain.setValueAtTime(LOUD, at);
      volume.gain.exponentialRampToValueAtTime(0.001, at + RING_S);
      note.connect(volume).connect(sound.destination);
      note.start(at);
      note.stop(at + RING_S);
    });
  };
}
