import { type Deferred, type Unavailable, unavailable } from './evaluation.ts';

/**
 * What a deferral without a further try ends as (evaluation-2.md section 6).
 * @param leftList whether the instrument left the list of its exchange after it was verified
 */
export function givenUp(result: Deferred, leftList: boolean): Deferred | Unavailable {
  if (!leftList) return result;
  return unavailable('delisted', `The instrument is no longer listed, and its bars did not come. ${result.detail}`);
}
