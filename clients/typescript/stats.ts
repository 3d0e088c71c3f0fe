export { type Caution, cautionsOf } from './stats/cautions.ts';
export { type CountedShare, readShare, type ShareOptions } from './stats/counted-share.ts';
export { type Interval, wilsonInterval } from './stats/wilson-interval.ts';
