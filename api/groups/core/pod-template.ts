import { sameValue } from '../../kinds/carry-over.ts';
import { column, nameColumn } from '../../kinds/columns.ts';
import type { Column, Strategy } from '../../kinds/kind.ts';
import type { PodTemplate } from '../../types/core-v1-workload.ts';
import { validatePodTemplate } from '../../validation/pod/spec.ts';
import { labelsText } from '../labels-text.ts';
import { podWarnings } from '../pod-warnings.ts';
import { containerImages, containerNames } from '../template-columns.ts';
import { defaultTemplate } from '../template-defaults.ts';
import { nextGeneration } from '../../kinds/generation.ts';

/** Strategy of PodTemplates. */
export const podTemplateStrategy: Strategy<PodTemplate> = {
  defaults: (object) => void defaultTemplate((object.template ??= {})),
  prepareForCreate(next) {
    next.metadata = { ...next.metadata, generation: 1 };
  },
  prepareForUpdate(next, previous) {
    if (sameValue(next.template, previous.template)) return;
    next.metadata = { ...next.metadata, generation: nextGeneration(previous.metadata?.generation) };
  },
  validate: ({ template }, { vocabulary }) => validatePodTemplate(template, 'template', vocabulary),
  warnings: ({ template = {} }, _previous, { vocabulary }) => podWarnings(template, vocabulary, 'template'),
};

/** Table columns of PodTemplates. */
export const podTemplateColumns: readonly Column<PodTemplate>[] = [
  nameColumn,
  column<PodTemplate>(
    'Containers',
    ({ template }) => containerNames(template),
    'Names of each container in the template.',
  ),
  column<PodTemplate>(
    'Images',
    ({ template }) => containerImages(template),
    'Images referenced by each container in the template.',
  ),
  column<PodTemplate>(
    'Pod Labels',
    ({ template }) => labelsText(template?.metadata?.labels),
    'The labels for the pod template.',
  ),
];
