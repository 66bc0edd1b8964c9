import { wideColumn } from '../kinds/columns.ts';
import type { ApiObject, Column, DeepReadonly } from '../kinds/kind.ts';
import type { PodSpec, PodTemplateSpec } from '../types/core-v1-pod.ts';
import type { LabelSelector } from '../types/meta-v1.ts';
import { selectorText } from '../validation/label-selector.ts';

const eachContainer = (spec: DeepReadonly<PodSpec> | undefined, field: 'name' | 'image'): string =>
  (spec?.containers ?? []).map((container) => container[field] ?? '').join(',');

/** Returns the names of the template's containers, separated by commas. */
export const containerNames = (template: DeepReadonly<PodTemplateSpec> | undefined): string =>
  eachContainer(template?.spec, 'name');

/** Returns the images of the template's containers, separated by commas. */
export const containerImages = (template: DeepReadonly<PodTemplateSpec> | undefined): string =>
  eachContainer(template?.spec, 'image');

interface TemplateOwner {
  readonly template?: DeepReadonly<PodTemplateSpec>;
  readonly selector?: DeepReadonly<LabelSelector>;
}

/** Documentation page of labels and selectors. */
export const SELECTORS_PAGE =
  'https://{domain}/docs/concepts/overview/working-with-objects/labels/#label-selectors';

/** Description of a Job's selector column. */
export const POD_SELECTOR = `A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: ${SELECTORS_PAGE}`;

/**
 * Returns the `-o wide` columns of a kind with a pod template. `selector` is the description of the selector
 * column.
 */
export const templateColumns = <T extends ApiObject>(
  specOf: (object: DeepReadonly<T>) => TemplateOwner | undefined,
  selector: string,
): readonly Column<T>[] => [
  wideColumn<T>(
    'Containers',
    (object) => containerNames(specOf(object)?.template),
    'Names of each container in the template.',
  ),
  wideColumn<T>(
    'Images',
    (object) => containerImages(specOf(object)?.template),
    'Images referenced by each container in the template.',
  ),
  wideColumn<T>('Selector', (object) => selectorText(specOf(object)?.selector), selector),
];
