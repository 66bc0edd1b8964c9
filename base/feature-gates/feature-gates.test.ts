import { describe, expect, it } from 'vitest';
import { FeatureGateError, createFeatureGates } from './feature-gates.ts';

const table = {
  Young: { stage: 'alpha', since: '1.24' },
  Grown: { stage: 'beta', since: '1.23' },
  Shy: { stage: 'beta', since: '1.24', byDefault: false },
  Old: { stage: 'ga', since: '1.22' },
  Fading: { stage: 'deprecated', since: '1.23' },
  Gone: { stage: 'removed', since: '1.21' },
} as const;

const enabled = (...settings: string[]) =>
  createFeatureGates(table, settings)
    .states.filter((each) => each.enabled)
    .map(({ name }) => name);

const refusal = (...settings: string[]): string => {
  try {
    createFeatureGates(table, settings);
  } catch (thrown) {
    if (thrown instanceof FeatureGateError) return thrown.message;
    throw thrown;
  }
  return 'none';
};

describe('feature gates', () => {
  it('are off in alpha, on in beta unless declared otherwise, and on in GA', () => {
    expect(enabled()).toEqual(['Fading', 'Grown', 'Old']);
    expect(createFeatureGates(table).enabled('Young')).toBe(false);
    expect(createFeatureGates(table).enabled('Gone')).toBe(false);
  });

  it('are set by name, and the last setting of a name takes precedence', () => {
    expect(enabled('Young=true', 'Grown=false', 'Shy=t')).toEqual(['Fading', 'Old', 'Shy', 'Young']);
    expect(enabled('Young=true', ' Young = 0 ')).toEqual(['Fading', 'Grown', 'Old']);
  });

  it('are set by stage unless set by name, in any order', () => {
    expect(enabled('AllAlpha=true')).toEqual(['Fading', 'Grown', 'Old', 'Young']);
    expect(enabled('Grown=true', 'AllBeta=false')).toEqual(['Fading', 'Grown', 'Old']);
    expect(enabled('AllAlpha=true', 'Young=false')).toEqual(['Fading', 'Grown', 'Old']);
  });

  it.each([
    ['Nope=true', 'unrecognized feature gate: Nope; expected one of Fading, Grown, Old, Shy, Young'],
    [
      'constructor=true',
      'unrecognized feature gate: constructor; expected one of Fading, Grown, Old, Shy, Young',
    ],
    ['Gone=true', 'cannot set feature gate Gone to true, it was removed in release 1.21'],
    ['Old=false', 'cannot set feature gate Old to false, feature is locked to true since 1.22'],
    ['Young', 'missing bool value for Young'],
    ['Young=maybe', 'invalid value of Young=maybe: expected true or false'],
  ])('reject %s', (setting, message) => {
    expect(refusal(setting)).toBe(message);
  });

  it('warn about settings that will be removed', () => {
    expect(createFeatureGates(table, ['Old=true', 'Fading=false', 'Young=true']).warnings).toEqual([
      'setting GA feature gate Old=true: it will be removed in a future release',
      'setting deprecated feature gate Fading=false: it will be removed in a future release',
    ]);
  });
});
