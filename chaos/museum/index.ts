export { describeVisit, describeWay, exhibitsOf, isFound, mutantOf, visit } from './visit.ts';
