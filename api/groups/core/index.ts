export { qosClassOf } from './pod.ts';
export {
  HEADLESS,
  isHeadless,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePort,
} from './service-shape.ts';
