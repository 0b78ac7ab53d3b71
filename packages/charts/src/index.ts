export { drawChart, type PreparedChart, prepareChart } from "./draw-chart.ts";
export { inDark } from "./palette.ts";
export { drawPicture, type PictureOptions } from "./picture.ts";
export type { ChartTheme, Scene, SceneNode, ScenePoint, SceneTable } from "./scene.ts";
export { attributesOf, chartFont, clipAttributes } from "./to-svg.ts";
