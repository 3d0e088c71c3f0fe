import type { InputPort, OutputPort, PortType } from '../node-template.ts';

// A port is named by its type unless two of a template would then share a name.

/** Exactly one edge ends here. */
export function needs(type: PortType, port: string = type): InputPort {
  return { port, type, required: true, multiple: false };
}

/** One edge or more end here. */
export function needsSome(type: PortType, port: string = type): InputPort {
  return { port, type, required: true, multiple: true };
}

/** No edge or one. */
export function takes(type: PortType, port: string = type): InputPort {
  return { port, type, required: false, multiple: false };
}

/** Any number of edges. */
export function takesAny(type: PortType, port: string = type): InputPort {
  return { port, type, required: false, multiple: true };
}

export function gives(type: PortType, port: string = type): OutputPort {
  return { port, type };
}

interface Work {
  /** Where to look, and what to take from there. */
  readonly read: string;
  /** What to make up one's mind about, and how. */
  readonly decide: string;
  /** What each output holds. */
  readonly handOn: string;
}

/** The instructions of a template, in the three parts that each of them has. */
export function instructions({ read, decide, handOn }: Work): string {
  return `Read: ${read}\nDecide: ${decide}\nHand on: ${handOn}`;
}
