/** Kinds of differences between a run and the same run without faults. */
export type DifferenceId = 'creations' | 'deletions' | 'writes' | 'behind' | 'end';

export interface ComparisonRule {
  /** Identifier in reports. */
  readonly id: string;
  readonly says: string;
}

/** Rules by the kind of difference that violates them. */
export const comparisonRules: Readonly<Record<DifferenceId, ComparisonRule>> = {
  creations: {
    id: 'differential/same-creations',
    says: 'controllers create the same objects, equally often, as without faults',
  },
  deletions: {
    id: 'differential/same-deletions',
    says: 'controllers delete the same objects, equally often, as without faults',
  },
  writes: {
    id: 'differential/no-churn',
    says: 'no controller writes an object much more often than without faults',
  },
  behind: {
    id: 'differential/catches-up',
    says: 'when a user acts, controllers have done what they do without faults, unless a fault has just delayed them',
  },
  end: {
    id: 'differential/same-end',
    says: 'objects end in the same state as without faults, unless users acted while controllers were behind',
  },
};
