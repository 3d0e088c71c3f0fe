type Prover = () => Promise<boolean>;

let prover: Prover = async () => false;
let current: Promise<boolean> | undefined;

/** How the reader proves to be the owner: the shell sets it, because what asks for the proof sends requests itself. */
export function proveBy(prove: Prover): void {
  prover = prove;
}

/** Has the reader log in again; false if they do not want to. Requests that need it at once share one proof. */
export function isProven(): Promise<boolean> {
  current ??= prover().finally(() => {
    current = undefined;
  });
  return current;
}
