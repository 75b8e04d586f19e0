import type { RefObject } from "react"
import type { MarkedArm } from "@/features/compare/arms"
import { usePalette } from "@/lib/palette"
import { saveDrawing, savePicture } from "@/lib/savePicture"
import { Button } from "@/ui/Button"
import { notifyFailure } from "@/ui/Toasts"

interface PictureButtonsProps {
  /** Of the file, without its ending. */
  name: string
  picture: RefObject<SVGSVGElement | null>
  arms: readonly MarkedArm[]
}

/** The chart as a picture: PNG with its legend, SVG as it is drawn. */
export function PictureButtons({ name, picture, arms }: PictureButtonsProps) {
  const palette = usePalette()
  function savePng() {
    if (!picture.current) return
    const legend = arms.map(({ arm, colour, dash }) => ({ label: arm.name, colour, dash }))
    savePicture(`${name}.png`, [picture.current], legend, { paper: palette.surface, ink: palette.ink }).catch(
      (error) => notifyFailure("The picture could not be made", error),
    )
  }
  return (
    <>
      <Button
        aria-label={`Save ${name} as PNG`}
        icon="download"
        onClick={savePng}
        size="small"
        variant="ghost"
      >
        PNG
      </Button>
      <Button
        aria-label={`Save ${name} as SVG`}
        icon="download"
        onClick={() => picture.current && saveDrawing(`${name}.svg`, picture.current)}
        size="small"
        variant="ghost"
      >
        SVG
      </Button>
    </>
  )
}
