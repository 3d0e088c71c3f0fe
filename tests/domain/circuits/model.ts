import type { CircuitState } from '../../../domain/circuits/circuit.ts';
import { HOUR, MINUTE, type Millis, SECOND } from '../../../domain/time.ts';
import type { Happening } from './played.ts';

interface Observed {
  readonly at: Millis;
  readonly drift: number;
}

/**
 * The states of a circuit after each event, by applying settled.md section 9 to the whole list each time, with numbers
 * of its own. For clocks that go forward.
 */
export function modelStates(happenings: readonly Happening[]): CircuitState[] {
  let state: CircuitState = 'normal';
  let afterTrip = 0;
  const observed: Observed[] = [];
  return happenings.map((happening) => {
    if ('operator' in happening) {
      if (happening.operator === 'trip') state = 'tripped';
      else if (state === 'warming') state = 'normal';
      if (happening.operator === 'trip') afterTrip = observed.length;
      return state;
    }
    const { at, drift } = happening;
    const last = observed.at(-1);
    if (drift === null || (last && at - last.at < 45 * SECOND)) return state;
    observed.push({ at, drift });
    if (state === 'tripped') {
      if (length(running(observed.slice(afterTrip), (each) => each < 50)) >= 24 * HOUR) state = 'warming';
    } else if (
      isOff(observed) ||
      (state === 'warming' && length(running(observed, (each) => each >= 50)) >= 15 * MINUTE)
    ) {
      state = 'tripped';
      afterTrip = observed.length;
    }
    return state;
  });
}

function isOff(observed: readonly Observed[]): boolean {
  const lasting = length(running(observed, (drift) => drift >= 100)) >= 15 * MINUTE;
  return lasting || running(observed, (drift) => drift >= 200).length >= 3;
}

/** The observations up to the last that fit one and all, none of them more than 10 minutes after the one before. */
function running(observed: readonly Observed[], fits: (drift: number) => boolean): readonly Observed[] {
  const broken = observed.findLastIndex(({ drift }) => !fits(drift));
  const gap = observed.findLastIndex(
    ({ at }, index) => index > 0 && at - (observed[index - 1]?.at ?? at) > 10 * MINUTE,
  );
  return observed.slice(Math.max(broken + 1, gap, 0));
}

function length(run: readonly Observed[]): Millis {
  const [first, last] = [run.at(0), run.at(-1)];
  return first && last ? last.at - first.at : -1;
}
