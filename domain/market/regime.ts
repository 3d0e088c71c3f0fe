/** The market around an instant (evaluation.md section 7): both numbers in [0, 1]. */
export interface Regime {
  /** `{up|range|down}_{low|mid|high}`. */
  readonly label: string;
  readonly vol: number;
  readonly trend: number;
}
