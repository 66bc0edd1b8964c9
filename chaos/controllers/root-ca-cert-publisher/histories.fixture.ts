import { configMaps, namespaces } from '../../../api/groups/core-v1.ts';
import type { ApiObject } from '../../../api/kinds/kind.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import {
  drops,
  makes,
  named,
  namespace,
  turns,
  type History,
} from '../../invariants/histories/objects.fixture.ts';

const PUBLISHER = 'root-ca-cert-publisher';

const published = (data: object = { 'ca.crt': 'pem' }): ApiObject =>
  named(orchVocabulary.rootCaConfigMap, { data });

/** Histories of the invariants of `root-ca-cert-publisher`. */
export const histories: readonly History[] = [
  [
    `${PUBLISHER}/no-create-in-ending-namespace`,
    [makes('user', namespaces, namespace({}, 'Terminating')), makes(PUBLISHER, configMaps, published())],
    [makes('user', namespaces, namespace()), makes(PUBLISHER, configMaps, published())],
  ],
  [
    `${PUBLISHER}/only-own-configmap`,
    [makes(PUBLISHER, configMaps, published({ 'ca.crt': 'pem', more: 'x' }))],
    [makes(PUBLISHER, configMaps, published())],
  ],
  [
    `${PUBLISHER}/same-certificate-everywhere`,
    [
      makes('user', namespaces, namespace()),
      makes(PUBLISHER, configMaps, published()),
      turns('user', configMaps, published(), published({ 'ca.crt': 'mine' })),
    ],
    [
      makes('user', namespaces, namespace()),
      makes(PUBLISHER, configMaps, published()),
      drops('user', configMaps, published()),
      makes(PUBLISHER, configMaps, published()),
    ],
  ],
];
