/**
 * The sizes of the drawing in its own units. Boxes of steps stand in rows, `gap` apart, and are as wide as their
 * ports need. Around boxes and lanes of a row is some room.
 */
export const SIZES = { height: 92, least: 204, port: 80, gap: 60, lane: 4, boxRoom: 14, laneRoom: 6 } as const;
