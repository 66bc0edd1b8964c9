import { type FeatureName, features } from '../../api/features/features.ts';
import { type FeatureGates, createFeatureGates } from '../../base/feature-gates/feature-gates.ts';
import type { Flag } from '../flags/flags.ts';

/** Returns the `--help` text of each gate, such as `CronJobTimeZone=true|false (ALPHA - default=false)`. */
const described = (gates: FeatureGates): string =>
  gates.states
    .filter(({ stage }) => stage !== 'ga')
    .map(({ name, stage, enabled }) => `${name}=true|false (${stage.toUpperCase()} - default=${enabled})`)
    .join('\n        ');

/**
 * Returns the flag `--feature-gates Name=true,Name=false`. A repeated flag retains earlier gates that it does
 * not set again.
 */
export function featureGatesFlag(): Flag<FeatureGates<FeatureName>> {
  const fallback = createFeatureGates(features);
  return {
    kind: 'text',
    help: `features to enable or disable; AllAlpha and AllBeta select all of a stage:\n        ${described(fallback)}`,
    fallback,
    shown: '',
    repeats: 'joined',
    parse: (given) =>
      createFeatureGates(
        features,
        given.split(',').filter((setting) => setting.trim() !== ''),
      ),
  };
}
