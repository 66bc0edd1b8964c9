import { carryOver, sameValue } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, ObjectSubresource, Strategy } from '../../kinds/kind.ts';
import type { DaemonSet } from '../../types/apps-v1.ts';
import { validateDaemonSet, validateDaemonSetStatus } from '../../validation/workload/daemon-set.ts';
import { validateSelectorUpdate } from '../../validation/workload/template.ts';
import { labelsText } from '../labels-text.ts';
import { templateWarnings } from '../pod-warnings.ts';
import { countColumn } from '../replica-columns.ts';
import { statusSubresource } from '../status-subresource.ts';
import { SELECTORS_PAGE, templateColumns } from '../template-columns.ts';
import { defaultTemplate } from '../template-defaults.ts';

/** Annotation that counts changes of the template. It replaces a former field of the spec. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

function annotate(set: DaemonSet, generation: number): void {
  const annotations = { ...set.metadata?.annotations, [TEMPLATE_GENERATION]: String(generation) };
  set.metadata = { ...set.metadata, annotations };
}

const templateGeneration = ({ metadata }: DeepReadonly<DaemonSet>): number =>
  Number(metadata?.annotations?.[TEMPLATE_GENERATION] ?? 0) || 0;

/** Strategy of DaemonSets. */
export const daemonSetStrategy: Strategy<DaemonSet> = {
  defaults(set) {
    const spec = (set.spec ??= { selector: null as never, template: {} });
    defaultTemplate((spec.template ??= {}));
    const strategy = (spec.updateStrategy ??= {});
    strategy.type ||= 'RollingUpdate';
    if (strategy.type === 'RollingUpdate') {
      const update = (strategy.rollingUpdate ??= {});
      update.maxUnavailable ??= 1;
      update.maxSurge ??= 0;
    }
    spec.revisionHistoryLimit ??= 10;
  },
  prepareForCreate(next) {
    next.status = {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    };
    annotate(next, 1);
  },
  prepareForUpdate(next, previous) {
    carryOver(next, previous, 'status');
    const before = templateGeneration(previous);
    annotate(next, sameValue(next.spec?.template, previous.spec?.template) ? before : before + 1);
  },
  validate: validateDaemonSet,
  validatesChangeToo: true,
  validateUpdate: (next, previous) => validateSelectorUpdate(next.spec?.selector, previous.spec?.selector),
  warnings: templateWarnings<DaemonSet>('spec.template', ({ spec }) => spec?.template),
};

const status = statusSubresource<DaemonSet>(validateDaemonSetStatus);

/** Subresources of DaemonSets. */
export const daemonSetSubresources = {
  status: {
    ...status,
    prepareForUpdate(next, previous, context) {
      status.prepareForUpdate(next, previous, context);
      annotate(next, templateGeneration(previous));
    },
  } satisfies ObjectSubresource<DaemonSet>,
};

const PAGE = 'https://{domain}/docs/concepts/workloads/controllers/daemonset/';

/** Table columns of DaemonSets. */
export const daemonSetColumns: readonly Column<DaemonSet>[] = [
  nameColumn,
  countColumn<DaemonSet>(
    'Desired',
    ({ status }) => status?.desiredNumberScheduled,
    `The total number of nodes that should be running the daemon pod (including nodes correctly running the daemon pod). More info: ${PAGE}`,
  ),
  countColumn<DaemonSet>(
    'Current',
    ({ status }) => status?.currentNumberScheduled,
    `The number of nodes that are running at least 1 daemon pod and are supposed to run the daemon pod. More info: ${PAGE}`,
  ),
  countColumn<DaemonSet>(
    'Ready',
    ({ status }) => status?.numberReady,
    'numberReady is the number of nodes that should be running the daemon pod and have one or more of the daemon pod running with a Ready Condition.',
  ),
  countColumn<DaemonSet>(
    'Up-to-date',
    ({ status }) => status?.updatedNumberScheduled,
    'The total number of nodes that are running updated daemon pod',
  ),
  countColumn<DaemonSet>(
    'Available',
    ({ status }) => status?.numberAvailable,
    'The number of nodes that should be running the daemon pod and have one or more of the daemon pod running and available (ready for at least spec.minReadySeconds)',
  ),
  column<DaemonSet>(
    'Node Selector',
    ({ spec }) => labelsText(spec?.template?.spec?.nodeSelector),
    "NodeSelector is a selector which must be true for the pod to fit on a node. Selector which must match a node's labels for the pod to be scheduled on that node. More info: https://{domain}/docs/concepts/configuration/assign-pod-node/",
  ),
  ageColumn,
  ...templateColumns<DaemonSet>(
    ({ spec }) => spec,
    `A label query over pods that are managed by the daemon set. Must match in order to be controlled. If empty, defaulted to labels on Pod template. More info: ${SELECTORS_PAGE}`,
  ),
];
