import type { Action } from '../world/user.ts';
import { ABSENT } from './fields.ts';
import { lifeOf } from './life.ts';
import { drawKind, namespacedKinds } from './owner-kinds.ts';
import { type Making, type Part, SECOND, TEAM, create, later, sometime } from './parts.ts';
import type { Step, Subject } from './subject.ts';

const NAMESPACES = '/namespaces';
const QUOTAS = '/resourcequotas';
const DOOMED = 'doomed';

/** Times in milliseconds, relative to the deletion of a namespace, at which a user creates objects in it. */
const LATE_MS = [-10, 1, 10, 500];
/**
 * Times in milliseconds after which the namespace is recreated. The creation fails if the namespace still
 * exists.
 */
const RECREATED_MS = [50, 2_000, 150_000];

/**
 * Returns actions on a namespace that is deleted with content of many kinds and recreated. A finalizer holds
 * some objects for a while.
 */
export const endingNamespace: Part = (making) => {
  const { draw } = making;
  const bornMs = sometime(making);
  const goneMs = later(making, bornMs + 5 * SECOND);
  const content = ['content-1', 'content-2'].flatMap((name): readonly Action[] => {
    const { resource, base } = drawKind(making, 'content', namespacedKinds);
    const subject = { resource, namespace: DOOMED, name, base };
    const deletion: Step = { step: 'delete', atMs: goneMs };
    const held = draw.once('held content', 3);
    // The deletion of the namespace deletes the object. This deletion is rejected or has no effect; it only
    // sets the time for the finalizer.
    return lifeOf(making, subject, { bornMs: bornMs + SECOND, steps: held ? [deletion] : [], held });
  });
  const recreated: readonly Step[] = draw.once('namespace recreated', 2)
    ? [{ step: 'create', atMs: goneMs + draw.one('namespace recreated after', RECREATED_MS), fields: {} }]
    : [];
  const namespace: Subject = { resource: NAMESPACES, namespace: '', name: DOOMED };
  return [
    ...lifeOf(making, namespace, {
      bornMs,
      steps: [{ step: 'delete', atMs: goneMs }, ...recreated],
    }),
    ...content,
    create(bornMs + SECOND, '/secrets', DOOMED, 'content'),
    create(goneMs + draw.one('late content', LATE_MS), '/configmaps', DOOMED, 'too-late'),
  ];
};

/** Hard limits that no run exceeds, so that quotas only count. */
const LIMITS = { 'count/configmaps': ['40', '50', ABSENT], secrets: ['40', '60'], pods: ['100', ABSENT] };

/** Returns a quota with changing limits. */
export const quotaNamed = (name: string): Subject => ({
  resource: QUOTAS,
  namespace: TEAM,
  name,
  fields: Object.fromEntries(Object.entries(LIMITS).map(([limit, values]) => [`spec.hard.${limit}`, values])),
});

/** Returns a quota that counts only some of the pods. */
const scopedQuota = ({ draw }: Making): Subject => ({
  resource: QUOTAS,
  namespace: TEAM,
  name: 'scoped',
  base: {
    spec: {
      hard: { pods: '100' },
      scopes: [draw.one('quota scope', ['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort'])],
    },
  },
  edits: { 'spec.hard.pods': ['90', '100'] },
});

/** Returns actions on quotas and on objects that are counted in them. */
export const quotas: Part = (making) => {
  const { draw } = making;
  const bornMs = sometime(making);
  const counted = ['counted-0', 'counted-1'].slice(0, draw.one('counted objects', [0, 1, 2]));
  return [
    ...lifeOf(making, quotaNamed('few'), { bornMs }),
    ...(draw.once('scoped quota', 4) ? lifeOf(making, scopedQuota(making)) : []),
    ...counted.flatMap((name) => {
      const resource = draw.one('counted', ['/configmaps', '/secrets']);
      const subject: Subject = { resource, namespace: TEAM, name, moves: ['delete', 'replace'] };
      return lifeOf(making, subject, { bornMs: later(making, bornMs) });
    }),
  ];
};
